//! Short texts in legacy encodings, and which encoding they are taken for.

use crate::file::encoding::code_page;
use encoding_rs::Encoding;
use proptest::prelude::*;

const WESTERN: &str = "windows-1252";

/// Texts by the encoding that they are in.
const TOLD: &[(&str, &[&str])] = &[
    (
        WESTERN,
        &[
            "naïve",
            "café",
            "été",
            "à bientôt",
            "déjà vu\n",
            "Où êtes-vous, garçon ?",
            "L’œuvre est « achevée »…",
            "// Vérifie que la clé est présente\nfn check(key: &str) -> bool {\n    true\n}\n",
            "nom;prénom;ville\nDupont;Hélène;Besançon\n",
            "# créé le 12 août\n",
            "ÉCOLE SUPÉRIEURE",
            "élève",
            "Müller",
            "Größe",
            "Straße",
            "über",
            "Äpfel, Öl und Übermut",
            "ÄÖÜäöüß",
            "/* Länge prüfen */\nint laenge;\n",
            "id;name;straße\n1;Jürgen;Königsallee 3\n",
            "Fußgängerübergänge",
            "señor",
            "¿Qué tal? ¡Muy bien!",
            "mañana",
            "# Función que devuelve el tamaño\ndef size(): pass\n",
            "Ñandú",
            "año;población\n2020;1000\n",
            "smörgåsbord",
            "på",
            "Räksmörgås är gott",
            "ÅÄÖ åäö",
            "blåbærgrød",
            "København",
            "ação",
            "não",
            "São Paulo",
            "configurações padrão",
            "// Não há opções disponíveis\n",
            "perché",
            "città è già",
            "þetta er íslenska",
            "100 €",
            "“quoted” text",
            "don’t",
            "it’s a – b",
            "5 °C",
            "© 2001 ACME",
            "price: £5",
            "§ 12",
            "Zoë",
            "élève, François, Noël, Zoé, Léa\n",
            "author = \"José Núñez\"\n",
            "msg = 'Ungültige Eingabe'\n",
            "case 'ä': case 'ö': case 'ü': break;\n",
            "if c == 'é' { }\n",
            "[a-zàâäçéèêëîïôöùûü]+",
            "[A-Za-zÄÖÜäöüß]",
        ],
    ),
    (
        "Shift_JIS",
        &[
            "日本語",
            "テスト",
            "こんにちは",
            "設定",
            "// 初期化する\nint main(void) { return 0; }\n",
            "名前,値段\nりんご,100\n",
            "printf(\"エラーが発生しました\\n\");\n",
            "x = 1; // カウンタ\n",
            "吾輩は猫である。名前はまだ無い。",
            "東京都",
            "ﾃｽﾄ ﾃﾞｰﾀ",
        ],
    ),
    (
        "GB18030",
        &[
            "中文",
            "你好",
            "你好,世界",
            "联通",
            "简体中文",
            "// 初始化\nint main() { return 0; }\n",
            "姓名,年龄\n张三,20\n",
            "# 读取配置文件\n",
            "printf(\"错误：文件不存在\\n\");\n",
            "数据库连接失败，请检查网络设置。",
            "北京市",
            "x = 1  # 计数\n",
        ],
    ),
    (
        "EUC-JP",
        &[
            "こんにちは世界",
            "これはテストです。",
            "/* ファイルを開く */\n",
            "名前,住所\n田中,東京\n",
            "エラーが発生しました",
            "親譲りの無鉄砲で小供の時から損ばかりしている。",
        ],
    ),
    (
        "EUC-KR",
        &[
            "안녕하세요",
            "한국어",
            "테스트",
            "// 파일을 읽는다\nint x;\n",
            "이름,나이\n김철수,20\n",
            "오류가 발생했습니다.",
            "사용자 이름을 입력하세요",
        ],
    ),
    (
        "Big5",
        &[
            "繁體中文",
            "你好，世界",
            "中文",
            "// 讀取設定檔\nint x;\n",
            "姓名,電話\n王小明,123\n",
            "檔案不存在，請重新選擇。",
            "臺北市",
            "檔案管理",
            "資料庫連線失敗",
        ],
    ),
    (
        "windows-1251",
        &[
            "привет",
            "Привет, мир!",
            "да",
            "// Проверка ввода\nint x;\n",
            "имя;возраст\nИван;20\n",
            "ОШИБКА",
            "Файл не найден: «config.ini»",
            "x = 1  # счётчик\n",
            "Москва",
            "файл",
        ],
    ),
    (
        "KOI8-R",
        &[
            "Привет, мир!",
            "привет",
            "/* Проверка ввода */\n",
            "Файл не найден",
            "ошибка",
            "имя,возраст\nИван,20\n",
        ],
    ),
    ("KOI8-U", &["Привіт, світе! Як справи?", "// Перевірка введення даних, її ім'я\n"]),
    (
        "windows-1250",
        &[
            "Zażółć gęślą jaźń",
            "są",
            "żółte i czarne",
            "// Sprawdź długość ścieżki\nint x;\n",
            "imię;wiek\nŁukasz;20\n",
            "Příliš žluťoučký kůň",
            "míč",
            "řeč",
            "# Načti soubor s nastavením uživatele\n",
            "Čeština je těžká",
            "árvíztűrő tükörfúrógép",
        ],
    ),
    ("windows-1253", &["Καλημέρα κόσμε", "// Έλεγχος αρχείου\n"]),
    ("windows-1254", &["ışık", "Kullanıcı adı geçersiz\n", "# Dosya bulunamadı, lütfen değiştirin\n"]),
    ("windows-1255", &["שלום עולם", "# בדיקת קלט\n"]),
    ("windows-1256", &["مرحبا بالعالم", "// التحقق من الملف\n"]),
    ("windows-874", &["สวัสดีชาวโลก", "// ตรวจสอบไฟล์\n"]),
    ("IBM866", &["Привет, мир! Файл не найден на диске."]),
    ("ISO-8859-2", &["// Sprawdź, czy ścieżka jest poprawna i czy można ją otworzyć\n"]),
    (
        "windows-1257",
        &[
            "Šiame pavyzdyje tikrinama, ar įvestas žodis teisingas; jeigu ne, rodoma klaidų žinutė apie būtinąją reikšmę.\n",
        ],
    ),
];

/// Texts that are too short to be told: what they are in, and what they are taken for.
const NOT_TOLD: &[(&str, &str, &str)] = &[
    // The letters of Czech and Polish that Windows-1252 has at the same places.
    ("windows-1250", "kávy", WESTERN),
    ("windows-1250", "proszę", WESTERN),
    ("windows-1254", "değişken", WESTERN),
    ("windows-1250", "řeřicha", WESTERN),
    ("windows-1250", "více", WESTERN),
    // As in Windows-1250.
    ("ISO-8859-2", "żółty i gęsty", "windows-1250"),
    // One letter is no word.
    ("windows-1251", "б", WESTERN),
    ("KOI8-R", "я", WESTERN),
    ("windows-1257", "ačiū", WESTERN),
];

fn encoded(label: &str, text: &str) -> Vec<u8> {
    let page = Encoding::for_label(label.as_bytes()).unwrap();
    let (bytes, _, lossy) = page.encode(text);
    assert!(!lossy, "{label} has not all of {text}");
    bytes.into_owned()
}

/// The name of what `bytes` are taken for.
fn taken_for(bytes: &[u8]) -> &'static str {
    assert!(std::str::from_utf8(bytes).is_err(), "it is UTF-8: {bytes:x?}");
    code_page::guess(bytes).map_or(WESTERN, code_page::name)
}

#[test]
fn short_texts_are_told() {
    assert!(TOLD.iter().map(|(_, texts)| texts.len()).sum::<usize>() >= 60);
    let rows = TOLD.iter().flat_map(|(label, texts)| texts.iter().map(move |text| (*label, *text, *label)));
    let wrong: Vec<_> = rows
        .chain(NOT_TOLD.iter().copied())
        .map(|(label, text, expected)| (label, text, expected, taken_for(&encoded(label, text))))
        .filter(|(_, _, expected, answer)| answer != expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Sentences of which parts are told too.
const SENTENCES: &[(&str, &[&str])] = &[
    ("Shift_JIS", JAPANESE),
    ("EUC-JP", JAPANESE),
    (
        "GB18030",
        &[
            "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
            "如果配置文件不存在，程序会使用默认值，并且在日志里写一条警告信息。",
            "今天天气很好，我们打算下午去公园散步，晚上再回家吃饭。",
            "这个函数接受两个参数，返回它们的和；如果参数为空，就抛出异常。",
            "老师说明天没有课，所以大家都很高兴，有的人去看电影，有的人在家休息。",
            "请先保存当前的工作，然后重新启动服务器，检查数据库连接是否正常。",
        ],
    ),
    (
        "Big5",
        &[
            "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。",
            "如果設定檔不存在，程式會使用預設值，並且在記錄裡寫一條警告訊息。",
            "今天天氣很好，我們打算下午去公園散步，晚上再回家吃飯。",
            "這個函式接受兩個參數，傳回它們的和；如果參數為空，就丟出例外。",
            "老師說明天沒有課，所以大家都很高興，有的人去看電影，有的人在家休息。",
            "請先儲存目前的工作，然後重新啟動伺服器，檢查資料庫連線是否正常。",
        ],
    ),
    (
        "EUC-KR",
        &[
            "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
            "설정 파일이 없으면 프로그램은 기본값을 사용하고 로그에 경고를 남긴다.",
            "오늘은 날씨가 좋아서 오후에 공원에서 산책을 하고 저녁에 집으로 돌아가려고 한다.",
            "이 함수는 두 개의 인수를 받아 합계를 반환하며, 인수가 비어 있으면 예외를 던진다.",
            "먼저 현재 작업을 저장한 다음 서버를 다시 시작하고 데이터베이스 연결을 확인하십시오.",
        ],
    ),
    (
        WESTERN,
        &[
            "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison.",
            "Où étiez-vous l’été dernier ? À la plage, près de Sète, où nous avons goûté des pâtés très salés.",
            "Die Größe der Fläche läßt sich über die Länge prüfen; für die Höhe gilt das Übliche: größer gewählt.",
            "Flygande bäckasiner söka hwila på mjuka tuvor. Åsa åkte båt över ån på hösten och åt blåbär.",
            "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío; añoraba a su querido cachorro.",
            "À noite, vovô Kowalsky vê o ímã cair no pé do pinguim queixoso e vovó põe açúcar no chá de tâmaras.",
        ],
    ),
    (
        "windows-1251",
        &[
            "Все люди рождаются свободными и равными в своём достоинстве и правах.",
            "Если файл настроек не найден, программа использует значения по умолчанию.",
        ],
    ),
];

const JAPANESE: &[&str] = &[
    "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "設定ファイルが存在しない場合は、既定値を使用して、ログに警告を出力します。",
    "今日は天気がいいので、午後は公園を散歩して、夜は家でご飯を食べるつもりです。",
    "この関数は二つの引数を受け取り、その合計を返します。引数が空の場合は例外を投げます。",
    "まず現在の作業を保存してから、サーバーを再起動し、データベースの接続を確認してください。",
    "親譲りの無鉄砲で小供の時から損ばかりしている。小学校に居る時分学校の二階から飛び降りた。",
];

/// A part of a sentence with at least as many letters beyond ASCII as asked.
fn part(letters: usize) -> impl Strategy<Value = (&'static str, String)> {
    let rows: Vec<(&str, &str)> =
        SENTENCES.iter().flat_map(|(label, texts)| texts.iter().map(move |text| (*label, *text))).collect();
    (proptest::sample::select(rows), any::<proptest::sample::Index>()).prop_map(
        move |((label, text), from)| {
            let beyond: Vec<usize> = text
                .char_indices()
                .filter(|(_, character)| !character.is_ascii())
                .map(|(at, _)| at)
                .collect();
            let first = from.index((beyond.len() + 1).saturating_sub(letters).max(1));
            let end = beyond.get(first + letters).copied().unwrap_or(text.len());
            let start = if first == 0 { 0 } else { beyond[first] };
            (label, text[start..end].to_owned())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn parts_of_sentences_are_told(
        (label, text) in part(12),
        (before, after) in prop_oneof![
            Just((String::new(), String::new())),
            ("[a-z]{1,8} = [0-9]{1,3}; // ", "\n[a-z]{1,8}\\(\\);\n"),
            ("[a-z]{1,8},\"", "\",[0-9]{1,3}\n"),
        ],
    ) {
        let bytes = encoded(label, &format!("{before}{text}{after}"));
        prop_assert_eq!(taken_for(&bytes), label);
    }
}

#[test]
fn what_comes_behind_the_beginning_changes_nothing() {
    for (label, texts) in SENTENCES {
        let line = encoded(label, &format!("{}\n", texts[0]));
        let mut bytes = line.repeat(256 * 1024 / line.len() + 1);
        let beginning = taken_for(&bytes);
        assert_eq!(beginning, *label);
        bytes.extend(b"\x81 \xff\xfe\xa0\n");
        assert_eq!(taken_for(&bytes), beginning, "{label}");
    }
}
