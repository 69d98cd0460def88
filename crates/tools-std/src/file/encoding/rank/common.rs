//! Characters that Chinese, Japanese and Korean texts are mostly made of, and programs in these languages.

use std::collections::HashMap;
use std::sync::LazyLock;

/// How usual a character is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum How {
    /// One of a hundred or so.
    Most,
    /// One of some hundreds.
    Common,
    Rare,
}

type Known = LazyLock<HashMap<char, How>>;

fn known(most: &str, common: &str) -> HashMap<char, How> {
    let common = common.chars().map(|character| (character, How::Common));
    common.chain(most.chars().map(|character| (character, How::Most))).collect()
}

static HANZI: Known = LazyLock::new(|| known(HANZI_MOST, HANZI_COMMON));
static KANJI: Known = LazyLock::new(|| known(KANJI_MOST, KANJI_COMMON));
static HANGUL: Known = LazyLock::new(|| known(HANGUL_MOST, HANGUL_COMMON));

fn find(known: &HashMap<char, How>, character: char) -> How {
    known.get(&character).copied().unwrap_or(How::Rare)
}

/// How usual a character is in Chinese, simplified or traditional.
pub(super) fn hanzi(character: char) -> How {
    find(&HANZI, character)
}

/// How usual a character is in Japanese.
pub(super) fn kanji(character: char) -> How {
    find(&KANJI, character)
}

/// How usual a syllable is in Korean.
pub(super) fn hangul(character: char) -> How {
    find(&HANGUL, character)
}

/// Whether kana are among those that each sentence has.
pub(super) fn is_common_kana(character: char) -> bool {
    "のいしたとにはをるてがでかなすまこらっりうれもさあくきだよそけつンスルトイアラリクシタドレフロムグデコプジテマッサカバメオ".contains(character)
}

const HANZI_MOST: &str = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之\
    年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日\
    這個們來為國說時會對於過發後裡種經學現當沒動還進樣開從實數据數據文件名字请";

const HANZI_COMMON: &str = "她军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战\
    向头体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水真论\
    处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场计管期市直德资命山金指克许统区\
    保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求程北边死张该交规万取拉格\
    望觉术领共确传师观清今切院让识候带导争运笔令房快飞近轻深包广片火装备户段注册存储读写输删除添加更改执检查显示列单价库\
    姓址号码错误异警默认值型度符串编析测试释版本限服器客端启停函返参初始置配线程缓据调接口请求网络登录密码验证状态消息错\
    功失败成操系统配置项组节循环遍历判断条件转换格式时间戳随机模块包含路径目录源输入输出日志打印订货库商店城北京上海广州\
    中国华李王张刘陈杨黄赵周吴徐孙朱马胡林郭何高罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢傅钟\
    姜崔谭廖范汪陆金石戴贾韦夏邱侯白龙段雷汤尹黎易常武乔贺赖龚今晚早午餐买卖东西零钱快乐爱喜欢朋友谢再见您好世界吃饭喝茶\
    春夏秋冬雨雪风云花草树木红黄蓝绿黑左右双单每跑步音乐影视频图片电脑手机语言汉英译简繁体\
    軍無與長機關點業將兩間問戰應頭體見產話內給門兒東聲員論處義認條氣題爾別變幾電報結總務場計設資許統區隊決馬書聽達強難\
    權師觀術領確傳讓識帶導爭運麼並實際檔案庫變函參傳讀寫儲刪執檢查連線顯輸單使訂價庫總計註冊錯誤預設類長字串編碼測試解版\
    權限伺服器網路頁標題檔夾選項號碼帳戶電郵址買賣錢愛歡謝再見您灣臺北台語萬億張陳劉黃趙吳孫鄭許鄧馮韓葉蔣蘇呂盧鍾譚範陸\
    賈韋龍湯喬賀賴龔飯車魚鳥風雲樹紅藍綠雙圖視腦漢譯簡邊歲歷隨環狀態訊圍農華親觀夢壓導層檔僅請讓該詞證記錄轉換間隔異常\
    宇宙洪荒日月盈昃道可名非常無始萬物母欲妙徼玄眾門";

const KANJI_MOST: &str = "日一国会人年大本中長出三同時事自行社見月分後前民生間対上部東者地合市業内相方定今回新場入立開\
    手力学問高代明実関子動全目表通外最言現理体化当主下意法不来作性的要用度気小成数設名文字値処列引変無有読書込戻初期";

const KANJI_COMMON: &str = "十二政議連五発党四金員九選米円決京戦経氏調田八六約題首制治務強七公野協取都和統以機平総加山\
    思家話世受区領多県続進正安保改記院女北午指権心界支第産結百派点教報済府活原先共得解交資予川向際査勝面委告軍反元重近\
    千考判認画海参売利組知案道信策集在件団別物側任使求所次水半品昨論計死官増係感特情投示打男基私各始島直両朝革価式確村提\
    運終挙果西勢減台広容必応演電歳住争談能再位置企真流格疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可\
    役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導備宅害配副算視条幹独警究育席輸訪楽起\
    万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賀訴造英被株頭\
    技低毎医復仕去姿味負渡失移差衆個門写評課末守若極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深答夜製票況音申様財港\
    識注呼達存削除追更新実行接続画項覧顧客庫号登録単漢猫犬春夏秋冬雨雪風花天空青赤黒語訳章節版環境関係系図版標準複選択押\
    閉待機秒週曜火吾輩頃親譲鉄砲供損得郎子田鈴佐藤高橋渡辺伊山中村林加吉斎清山崎森池橋阿石前井岡今朝昼晩飯飲買店駅歩走帰\
    寝起休忙楽嬉悲誰頂願致申訳座坂阪";

const HANGUL_MOST: &str = "이다는을가의에고하를한은지사도로기어서나리아자인해대시그라정일수부보스전있장제여상주만공성조\
    구안원유과오중들국동진우선비신미소경관내발문개방회무행때마음없게까적세위면생각물히던려거니모요같입습것않되본할했";

const HANGUL_COMMON: &str = "연화당실학금결체통설용영건명강남북간년월현양단분후식민심법계재김박치저타파드트르크포함력변\
    값호출복록코프램버튼등삭추확목검색초처완료류환열찾표권존엄누람엇번째말앞뒤쪽못울산천닌냐너네노녀느늘능늦님더데된될됩두둘\
    디따또떻뜻란래러럼렇레렌려렸례론료루르른를름릅릇린림립마막많말맞매먹먼메며몇몰몸무묻물미밀바받밖반배백버범벌별병볼봄봐부불\
    브블빠빨뿐사살삼새샘생서석섯섬성세센셔션속손송쇄수순술숨쉬슬승써쓰씨씩아악알았야약얼업없엔여역연열였예옆온올와왔외왼요욕\
    운움워월웠웹유육율으응의임잃잉있잘잠잡저점접정져졌족존종좋죄주준줄즈즉증직집짜째차착참창책척첫청체쳐총최춘출충취층칙친칠침\
    칭카캐커컴케켜켰콘콜큰키타태택터테텍토통퇴투특틀티팀파판패퍼페편평폐포폭폼표품풍피필핑하학항해핵행향허험헤혀현협형혜호혹\
    홈홍화활황획효훈휴흐흥희힘절걸길글급곳곱귀극근군굴교광곡계견경격객갈감갔갖강값났날남납낮낸널";
