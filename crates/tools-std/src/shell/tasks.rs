//! [`Tasks`]: what runs on after its call, owned by the session.

use super::running::{Running, Step};
use super::status::Status;
use super::task::{About, Task, TaskEnd, TaskView};
use super::task_events::{Events, TaskEvent};
use super::task_record::{self, Claim, Numbers};
use crate::blocking::blocking;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// The background tasks of a session: `ctx.session.of::<Tasks>()`.
///
/// Who owns the session asks it for events and ends it with [`Tasks::finish`]; dropping it kills every
/// task before the drop is over. The tasks run in the runtime in which they were started and end with it.
#[derive(Debug, Default)]
pub struct Tasks {
    /// By number, so in the order of their start.
    tasks: Mutex<BTreeMap<u64, Arc<Task>>>,
    numbers: Arc<Numbers>,
    events: Arc<Events>,
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Task>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> Vec<Arc<Task>> {
        self.lock().values().cloned().collect()
    }

    /// All tasks in the order of their start, those that ended among them.
    #[must_use]
    pub fn list(&self) -> Vec<TaskView> {
        self.all().iter().map(|task| task.view()).collect()
    }

    /// The task of this id.
    #[must_use]
    pub fn view(&self, id: &str) -> Option<TaskView> {
        self.find(id).map(|task| task.view())
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<Task>> {
        self.lock().values().find(|task| task.id == id).cloned()
    }

    /// Ids of what runs.
    pub(crate) fn running(&self) -> Vec<Arc<Task>> {
        self.all().into_iter().filter(|task| task.runs()).collect()
    }

    /// Waits until the task of this id ended; `None` when there is none. Safe to drop.
    pub async fn wait(&self, id: &str) -> Option<TaskView> {
        let task = self.find(id)?;
        task.ended().await;
        Some(task.view())
    }

    /// Ends the task of this id, politely first, and waits until it is gone; `None` when there is none.
    pub async fn stop(&self, id: &str) -> Option<TaskView> {
        let task = self.find(id)?;
        task.stop.cancel();
        task.ended().await;
        Some(task.view())
    }

    /// Ends all tasks, politely first, and waits until they are gone. Gives what had to be ended.
    pub async fn stop_all(&self) -> Vec<TaskView> {
        stop(self.running()).await
    }

    /// Ends the tasks that a subagent started, when it is over.
    pub async fn stop_of_agent(&self, agent: &str) -> Vec<TaskView> {
        let of_agent = |task: &Arc<Task>| task.about.agent.as_deref() == Some(agent);
        stop(self.running().into_iter().filter(of_agent).collect()).await
    }

    /// For the end of a run without a person: gives what runs so long to end by itself, and ends the
    /// rest. Gives what had to be ended.
    pub async fn finish(&self, grace: Duration) -> Vec<TaskView> {
        let ended = async {
            for task in self.running() {
                task.ended().await;
            }
        };
        let _the_rest_is_stopped = timeout(grace, ended).await;
        self.stop_all().await
    }

    /// Takes the events that came since the last time, in order.
    #[must_use]
    pub fn take_events(&self) -> Vec<TaskEvent> {
        let mut events = self.events.take();
        events.retain(|event| match event {
            TaskEvent::Ended(view) => {
                self.find(&view.id).is_none_or(|task| !task.told.swap(true, Ordering::Relaxed))
            }
            TaskEvent::Lines { .. } => true,
        });
        events
    }

    /// Waits for events and takes them: what a host waits on to wake its agent. Safe to drop.
    pub async fn next_events(&self) -> Vec<TaskEvent> {
        loop {
            self.events.wait().await;
            let events = self.take_events();
            if !events.is_empty() {
                return events;
            }
        }
    }

    pub(crate) fn events(&self) -> &Arc<Events> {
        &self.events
    }

    /// The task of this id, or words for the model about what is known of it and what runs.
    pub(crate) async fn known(&self, id: &str, ctx: &ToolContext) -> Result<Arc<Task>, ToolError> {
        if let Some(task) = self.find(id) {
            return Ok(task);
        }
        let earlier = match ctx.session_dir.clone() {
            Some(session) => {
                let id = id.to_owned();
                blocking(move || Ok(task_record::known(&session, &id).map(|known| known.in_words()))).await?
            }
            None => None,
        };
        let what = earlier.unwrap_or_else(|| {
            let id: String = id.chars().take(100).collect();
            format!("there is no background task `{id}`")
        });
        let running: Vec<String> = self.running().iter().map(|task| task.in_short()).collect();
        let running = if running.is_empty() { "none".to_owned() } else { running.join(", ") };
        Err(ToolError::new(ErrorKind::NotFound, format!("{what}; running background tasks: {running}")))
    }

    /// A number for a task that is about to start, which no other task of the session has or had.
    pub(crate) async fn number(&self, ctx: &ToolContext) -> Claim {
        self.numbers.next(ctx.session_dir.as_deref()).await
    }

    /// Takes a command over. Its output goes to a file from now on.
    pub(crate) async fn adopt(&self, running: Running, about: About) -> Arc<Task> {
        let claim = self.numbers.next(running.session_dir()).await;
        self.adopt_as(claim, running, about).await
    }

    /// The same with a number that was taken before.
    pub(crate) async fn adopt_as(&self, claim: Claim, mut running: Running, about: About) -> Arc<Task> {
        running.store().await;
        let (output, tree) = (Arc::clone(running.output()), Arc::clone(running.tree()));
        let (began, limits) = (running.began(), Some(running.limits().clone()));
        let task = Task { began, limits, ..Task::new(claim.number, about, output, Some(tree)) };
        self.spawn(claim, task, |task| drive(running, task)).await
    }

    /// Takes something over that `drive` does until it gives its end. It must end when the task is over.
    pub(crate) async fn spawn<F>(
        &self,
        claim: Claim,
        task: Task,
        drive: impl FnOnce(Arc<Task>) -> F,
    ) -> Arc<Task>
    where
        F: Future<Output = TaskEnd> + Send + 'static,
    {
        let Claim { number, record } = claim;
        let what = task.about.description.as_ref().unwrap_or(&task.about.command);
        record.begins(&task.id, what, task.view().output.as_deref()).await;
        let task = Arc::new(task);
        self.lock().insert(number, Arc::clone(&task));
        // The driver holds its task and the events, never the registry: its owner can still drop it.
        let guard = Unconcluded { task: Arc::clone(&task), events: Arc::clone(&self.events) };
        let driven = drive(Arc::clone(&task));
        let driver = tokio::spawn(async move {
            let end = driven.await;
            // First, so that whoever waited for the end and goes leaves a complete record.
            record.ends(end.in_words()).await;
            guard.conclude(end);
        });
        *task.driver.lock().unwrap_or_else(PoisonError::into_inner) = Some(driver.abort_handle());
        task
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.all().iter().for_each(|task| task.kill());
    }
}

async fn stop(tasks: Vec<Arc<Task>>) -> Vec<TaskView> {
    tasks.iter().for_each(|task| task.stop.cancel());
    for task in &tasks {
        task.ended().await;
    }
    tasks.iter().map(|task| task.view()).collect()
}

/// Drives a command to its end, whatever that is.
async fn drive(mut running: Running, task: Arc<Task>) -> TaskEnd {
    let end = match running.drive(task.over()).await {
        Ok(Step::Other(end)) => end,
        Ok(Step::Exited(status)) => TaskEnd::of(Status::of(status)),
        Ok(Step::TooMuchOutput) => TaskEnd::TooMuchOutput,
        Err(error) => TaskEnd::Lost { problem: error.model_text.into_owned() },
    };
    let notices = running.close().await.notices();
    *task.last_words.lock().unwrap_or_else(PoisonError::into_inner) = notices;
    end
}

/// Notes the end of a task and says so, also when its driver is dropped or panics: nobody waits for ever.
struct Unconcluded {
    task: Arc<Task>,
    events: Arc<Events>,
}

impl Unconcluded {
    fn conclude(self, end: TaskEnd) {
        self.task.output.release();
        self.task.state.send_replace(Some((end, self.task.began.elapsed())));
        self.events.ended(self.task.view());
    }
}

impl Drop for Unconcluded {
    fn drop(&mut self) {
        if self.task.runs() {
            let end = TaskEnd::Lost { problem: "what watched it is gone".to_owned() };
            self.task.state.send_replace(Some((end, self.task.began.elapsed())));
        }
    }
}
