//! Events of tasks and teammates.

use serde::{Deserialize, Serialize};

/// A task is made.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TaskCreated {
    /// Its id.
    pub task_id: String,
    /// What is to be done, in a line.
    pub task_subject: String,
    /// The same at length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_description: Option<String>,
    /// Who does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teammate_name: Option<String>,
    /// Whose team; no longer used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
}

impl TaskCreated {
    /// A task.
    pub fn new(task_id: impl Into<String>, task_subject: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            task_subject: task_subject.into(),
            task_description: None,
            teammate_name: None,
            team_name: None,
        }
    }
}

/// A task is called complete.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TaskCompleted {
    /// Its id.
    pub task_id: String,
    /// What was to be done, in a line.
    pub task_subject: String,
    /// The same at length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_description: Option<String>,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teammate_name: Option<String>,
    /// Whose team; no longer used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
}

impl TaskCompleted {
    /// A task.
    pub fn new(task_id: impl Into<String>, task_subject: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            task_subject: task_subject.into(),
            task_description: None,
            teammate_name: None,
            team_name: None,
        }
    }
}

/// A teammate is about to be idle.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TeammateIdle {
    /// Who.
    pub teammate_name: String,
    /// Whose team; no longer used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
}

impl TeammateIdle {
    /// A teammate.
    pub fn new(teammate_name: impl Into<String>) -> Self {
        Self { teammate_name: teammate_name.into(), team_name: None }
    }
}
