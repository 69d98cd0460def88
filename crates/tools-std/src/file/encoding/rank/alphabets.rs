//! The languages that single-byte encodings are used for, as data: how rare each letter beyond ASCII is, in
//! tenths of a bit.

use encoding_rs::{
    Encoding, IBM866, ISO_8859_2, ISO_8859_5, ISO_8859_7, ISO_8859_13, KOI8_R, KOI8_U, WINDOWS_874,
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256,
    WINDOWS_1257,
};

/// A language.
#[derive(Debug)]
pub(super) struct Language {
    /// What a text in it costs beforehand.
    pub rare: u32,
    /// Its letters beyond ASCII in lower case, by what they cost.
    pub letters: &'static [(u32, &'static str)],
    /// How its words are made.
    pub words: Words,
}

/// How words are made.
#[derive(Debug)]
pub(super) enum Words {
    /// Of ASCII and some more letters.
    Latin {
        /// What two letters beyond ASCII side by side cost.
        pair: u32,
        /// Letters that are words.
        alone: &'static str,
        /// Letters as they are listed: in classes of expressions, in tests and tables.
        listed: &'static str,
    },
    /// Of other letters.
    Other {
        /// Vowels, where the alphabet has them.
        vowels: &'static str,
    },
}

const fn latin(
    rare: u32,
    pair: u32,
    (alone, listed): (&'static str, &'static str),
    letters: &'static [(u32, &'static str)],
) -> Language {
    Language { rare, letters, words: Words::Latin { pair, alone, listed } }
}

const fn other(rare: u32, vowels: &'static str, letters: &'static [(u32, &'static str)]) -> Language {
    Language { rare, letters, words: Words::Other { vowels } }
}

/// Encodings, how rare they are, and what is written in them. What costs the same is read in the first.
pub(super) static PAGES: &[(&Encoding, u32, &[&Language])] = &[
    (
        WINDOWS_1252,
        0,
        &[&FRENCH, &GERMAN, &SPANISH, &PORTUGUESE, &ITALIAN, &SWEDISH, &DANISH, &ICELANDIC, &ANY_WESTERN],
    ),
    (WINDOWS_1251, 20, &[&RUSSIAN, &UKRAINIAN]),
    (WINDOWS_1250, 50, &[&CZECH, &POLISH, &HUNGARIAN, &CROATIAN, &ROMANIAN, &ANY_CENTRAL]),
    (KOI8_R, 50, &[&RUSSIAN]),
    (KOI8_U, 60, &[&UKRAINIAN]),
    (WINDOWS_1253, 50, &[&GREEK]),
    (WINDOWS_1254, 50, &[&TURKISH]),
    (WINDOWS_1255, 45, &[&HEBREW]),
    (WINDOWS_1256, 60, &[&ARABIC]),
    (WINDOWS_874, 60, &[&THAI]),
    (ISO_8859_2, 80, &[&CZECH, &POLISH, &HUNGARIAN, &CROATIAN, &ROMANIAN]),
    (ISO_8859_7, 80, &[&GREEK]),
    (IBM866, 90, &[&RUSSIAN]),
    (ISO_8859_5, 110, &[&RUSSIAN]),
    (WINDOWS_1257, 110, &[&LITHUANIAN, &LATVIAN]),
    (ISO_8859_13, 140, &[&LITHUANIAN, &LATVIAN]),
];

static FRENCH: Language = latin(
    10,
    20,
    ("à", "àâäçéèêëîïôöùûüÿ éèàçùœ àâæçéèêëîïôœùûü éèêë àâç îïôûùü"),
    &[(57, "é"), (75, "à"), (78, "è"), (86, "ê"), (95, "ç"), (105, "âûîùô"), (120, "ëïœ"), (150, "üÿæ")],
);
static GERMAN: Language = latin(10, 20, ("", "äöüäöüß"), &[(70, "ü"), (73, "ä"), (80, "öß"), (140, "éàè")]);
static SPANISH: Language = latin(
    10,
    60,
    ("", "áéíóúüñ éíóúñ áéíóúáéíóúñ"),
    &[(69, "ó"), (71, "í"), (76, "á"), (79, "é"), (83, "ñ"), (90, "ú"), (125, "ü")],
);
static PORTUGUESE: Language = latin(
    20,
    20,
    ("éàóá", "áàâãéêíóôõúüç áéíóú"),
    &[(69, "ã"), (76, "ç"), (83, "éáí"), (87, "êóâ"), (90, "õúô"), (105, "à"), (140, "ü")],
);
static ITALIAN: Language =
    latin(20, 80, ("èé", "àèéìòù àèìòù"), &[(73, "à"), (82, "è"), (95, "ù"), (105, "òì"), (115, "é")]);
static SWEDISH: Language = latin(20, 30, ("åö", "åäöåäö"), &[(58, "ä"), (62, "åö"), (115, "é"), (140, "üà")]);
static DANISH: Language =
    latin(20, 40, ("å", "æøåæøå"), &[(60, "å"), (67, "øæ"), (110, "é"), (140, "öäüòô")]);
static ICELANDIC: Language =
    latin(40, 15, ("áí", "áðéíóúýþæö"), &[(45, "ð"), (60, "áíþ"), (70, "æóéöú"), (85, "ý")]);
/// A word here and there, of whatever language.
static ANY_WESTERN: Language = latin(
    30,
    60,
    ("à", "áéíóúý àèìòù äëïöüÿ âêîôû ãñõ"),
    &[(85, "éèàáíóúäöüñçãåøæß"), (95, "êâîôûïëëõòìù"), (110, "šžœýðþÿ")],
);
static CZECH: Language = latin(
    10,
    5,
    ("", "áčďéěíňóřšťúůýž ěščřžýáíé"),
    &[(50, "í"), (55, "á"), (60, "ě"), (63, "éř"), (66, "ýžč"), (70, "šů"), (95, "ú"), (110, "ťóňďľĺôäŕ")],
);
static POLISH: Language = latin(
    10,
    10,
    ("", "ąćęłńóśźż ąćęłńóśżź"),
    &[(58, "ł"), (66, "ąę"), (70, "óżś"), (80, "ć"), (88, "ń"), (110, "ź")],
);
static HUNGARIAN: Language =
    latin(30, 15, ("é", "áéíóöőúüű"), &[(49, "á"), (50, "é"), (67, "öóő"), (74, "íü"), (83, "ú"), (90, "ű")]);
static CROATIAN: Language = latin(30, 30, ("", "čćđšž"), &[(65, "šč"), (72, "žć"), (85, "đ")]);
static ROMANIAN: Language = latin(40, 30, ("", "ăâîşţ"), &[(56, "ă"), (64, "şţî"), (70, "â")]);
static ANY_CENTRAL: Language =
    latin(40, 30, ("", ""), &[(85, "áéíóúýčšžřěůťďňąęłńśźżćöüőű"), (110, "äôľĺŕđăîâşţßç")]);
static TURKISH: Language = latin(
    10,
    15,
    ("", "çğıöşü"),
    &[(43, "ı"), (57, "şü"), (65, "ğç"), (70, "ö"), (85, "i\u{307}"), (130, "âîû")],
);
static LITHUANIAN: Language =
    latin(20, 15, ("į", "ąčęėįšųūž"), &[(60, "ė"), (65, "šų"), (70, "ž"), (75, "ū"), (80, "įąč"), (88, "ę")]);
static LATVIAN: Language = latin(
    20,
    15,
    ("", "āčēģīķļņšūž"),
    &[(50, "ā"), (60, "īē"), (65, "š"), (75, "ņ"), (80, "ūļž"), (90, "ķčģ")],
);
static RUSSIAN: Language = other(
    0,
    "аеёиоуыэюя",
    &[
        (32, "о"),
        (36, "еа"),
        (38, "и"),
        (39, "нт"),
        (42, "с"),
        (45, "рвл"),
        (49, "км"),
        (51, "дпу"),
        (57, "яыь"),
        (60, "гзбч"),
        (64, "й"),
        (67, "хж"),
        (72, "шю"),
        (78, "ц"),
        (82, "щэф"),
        (100, "ёъ"),
    ],
);
static UKRAINIAN: Language = other(
    20,
    "аеиоуюяіїє",
    &[
        (34, "о"),
        (36, "а"),
        (39, "ни"),
        (41, "іте"),
        (45, "рвс"),
        (48, "кул"),
        (51, "дмп"),
        (58, "яьзгб"),
        (64, "чйжхцюєш"),
        (75, "їщф"),
        (120, "ґў"),
    ],
);
static GREEK: Language = other(
    0,
    "αεηιουωάέήίόύώϊϋ",
    &[
        (35, "α"),
        (38, "οιετ"),
        (42, "ν"),
        (44, "σ"),
        (46, "ρπκςημυλ"),
        (58, "ίόάέ"),
        (60, "γδω"),
        (66, "ήύθχφβώ"),
        (90, "ζξψ"),
        (120, "ϊϋΐΰ"),
    ],
);
static HEBREW: Language =
    other(0, "", &[(33, "יוה"), (39, "לא"), (43, "רתבמש"), (52, "נםדחע"), (58, "פקכטסזגצן"), (75, "ךףץ")]);
static ARABIC: Language = other(
    0,
    "",
    &[
        (30, "ا"),
        (33, "ل"),
        (39, "يمون"),
        (46, "ترب"),
        (49, "ةعدسفه"),
        (55, "قكأحج"),
        (66, "شصىإطخذ"),
        (80, "ءضئغثزظؤآ"),
    ],
);
static THAI: Language = other(
    0,
    "",
    &[
        (40, "าน"),
        (45, "รอก่เง"),
        (50, "ยลวม้ีัทส"),
        (55, "ตะดคิปบแห"),
        (62, "ุจไใขพช์ื็ู"),
        (75, "ถผโศซธำภณญึ"),
        (100, "ษฟฝฐฉฎฏฑฒฌฆฬฮๆฯ"),
    ],
);
