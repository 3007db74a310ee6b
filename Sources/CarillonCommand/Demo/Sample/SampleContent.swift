import CarillonModel
import CarillonOperatorModel

/// What the sample App's Campaigns say.
enum SampleContent {
    /// A Campaign: its name, and what it says.
    struct Past: Sendable {
        var name: String
        var message: Message
    }

    static let appName = "City guide (sample)"
    static let bundleID = "com.example.carillon-sample"

    /// Languages with countries and time zones, as often as Devices have them.
    static let places = [
        ("zh-Hant-TW", "TW", "Asia/Taipei"), ("en-GB", "GB", "Europe/London"), ("ja-JP", "JP", "Asia/Tokyo"),
        ("zh-Hant-TW", "TW", "Asia/Taipei"), ("ko-KR", "KR", "Asia/Seoul"), ("zh-Hant-TW", "TW", "Asia/Taipei"),
    ]

    /// The Campaigns of the past days, the oldest first.
    static let past: [Past] = [
        Past(
            name: "Night market",
            message: message([
                "default": ("Night market on Saturday", "Forty stands along the river, from six."),
                "zh-Hant": ("週六夜市", "愛河畔四十個攤位，六點開始。"), "ja": ("土曜は夜市", "川沿いに四十の屋台、六時から。"),
                "ko": ("토요일 야시장", "강변에 노점 마흔 곳, 여섯 시부터."),
            ])
        ),
        Past(
            name: "Bus 12",
            message: message([
                "default": ("Bus 12 is diverted", "It does not stop at the museum until Friday."),
                "zh-Hant": ("12 路公車改道", "週五前不停靠博物館。"), "ja": ("12番バスは迂回します", "金曜まで博物館には停まりません。"),
                "ko": ("12번 버스 우회", "금요일까지 박물관에 서지 않습니다."),
            ])
        ),
        Past(
            name: "Exhibition",
            message: message([
                "default": ("A new exhibition opens", "Two hundred maps of the city."),
                "zh-Hant": ("新展覽開幕", "兩百張城市地圖。"), "ja": ("新しい展覧会", "街の地図二百枚を展示します。"),
                "ko": ("새 전시회 개막", "도시 지도 200점."),
            ])
        ),
        Past(
            name: "Library hours",
            message: message([
                "default": ("The library is open longer", "On weekdays until ten."),
                "zh-Hant": ("圖書館延長開放", "平日開放至晚上十點。"), "ja": ("図書館の時間延長", "平日は夜十時まで。"),
                "ko": ("도서관 연장 운영", "평일 밤 열 시까지."),
            ])
        ),
        Past(
            name: "Concert",
            message: message([
                "default": ("Concert in the park", "The city's orchestra plays at seven."),
                "zh-Hant": ("公園音樂會", "市立交響樂團七點演出。"), "ja": ("公園コンサート", "市の交響楽団が七時に演奏します。"),
                "ko": ("공원 음악회", "시립 교향악단이 일곱 시에 연주합니다."),
            ])
        ),
        Past(
            name: "Flower market",
            message: message([
                "default": ("Flowers at the lake", "The market opens at nine."),
                "zh-Hant": ("湖畔花市", "上午九點開市。"), "ja": ("湖畔の花市", "九時に開きます。"),
                "ko": ("호숫가 꽃시장", "아홉 시에 엽니다."),
            ])
        ),
        Past(
            name: "Rain",
            message: message([
                "default": ("Heavy rain this evening", "The boat to the island does not run."),
                "zh-Hant": ("今晚大雨", "往島上的渡輪停航。"), "ja": ("今夜は大雨", "島への船は運休します。"),
                "ko": ("오늘 저녁 폭우", "섬으로 가는 배가 다니지 않습니다."),
            ])
        ),
    ]

    /// A Campaign that is cancelled before its time.
    static let cancelled = Past(
        name: "Street festival",
        message: message([
            "default": ("Street festival", "It is moved to spring."), "zh-Hant": ("街頭藝術節", "延至春天舉行。"),
            "ja": ("街の祭り", "春に延期します。"), "ko": ("거리 축제", "봄으로 연기됩니다."),
        ])
    )

    /// Places of the content set: number, name, kind, latitude, longitude.
    static let rows = """
        id,name,kind,latitude,longitude
        1,Museum of fine arts,museum,22.6563,120.2866
        2,Central library,library,22.6107,120.3011
        3,Harbour pier 2,art,22.6203,120.2817
        4,River pier,boat,22.6262,120.2905
        5,Film archive,museum,22.6236,120.2874
        6,Music centre,music,22.6131,120.2914
        7,Lotus lake,park,22.6800,120.2960
        8,Central park,park,22.6240,120.3010
        9,Science hall,museum,22.6407,120.3223
        10,Old railway yard,museum,22.6218,120.2753
        11,Island ferry,boat,22.6146,120.2686
        12,Lighthouse,park,22.6152,120.2641
        13,Night market,market,22.6319,120.3023
        14,Temple square,market,22.6799,120.2946
        15,Concert hall,music,22.6266,120.3424
        16,Tea house,art,22.6480,120.3150

        """

    /// Makes a message of texts by language.
    static func message(_ texts: [String: (title: String, body: String)]) -> Message {
        var message = Message(
            content: texts.mapValues { text in
                var content = LocalizedContent(title: text.title, body: text.body)
                content.link = "city-guide://today"
                content.buttons = [Button(id: "map", title: "Map")]
                return content
            }
        )
        message.sound = "default"
        return message
    }
}
