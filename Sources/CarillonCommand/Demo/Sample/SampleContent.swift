import CarillonModel
import CarillonOperatorModel

/// What the sample App's Campaigns say.
enum SampleContent {
    static let appName = "City guide (sample)"
    static let bundleID = "com.example.carillon-sample"

    /// The Campaigns of the past days, the oldest first: name, and the texts by language.
    static let past: [(name: String, message: Message)] = [
        (
            "Night market",
            message("Night market on Saturday", "Forty stands along the river, from six.", ja: "土曜は夜市", ko: "토요일 야시장")
        ),
        (
            "Bus 12",
            message(
                "Bus 12 is diverted",
                "It does not stop at the museum until Friday.",
                ja: "12番バスは迂回運行",
                ko: "12번 버스 우회"
            )
        ),
        (
            "Exhibition",
            message("A new exhibition opens", "Two hundred maps of the city.", ja: "新しい展覧会", ko: "새 전시회 개막")
        ),
        (
            "Library hours",
            message("The library is open longer", "On weekdays until ten.", ja: "図書館の時間延長", ko: "도서관 연장 운영")
        ),
        (
            "Concert",
            message("Concert in the park", "The city's orchestra plays at seven.", ja: "公園コンサート", ko: "공원 음악회")
        ),
        (
            "Rain",
            message("Heavy rain this evening", "The boat to the island does not run.", ja: "今夜は大雨", ko: "오늘 저녁 폭우")
        ),
    ]

    static func message(_ title: String, _ body: String, ja: String, ko: String) -> Message {
        var message = Message(content: [
            Message.defaultLanguage: content(title, body), "ja": content(ja, body), "ko": content(ko, body),
        ])
        message.sound = "default"
        return message
    }

    private static func content(_ title: String, _ body: String) -> LocalizedContent {
        var content = LocalizedContent(title: title, body: body)
        content.link = "city-guide://today"
        content.buttons = [Button(id: "map", title: "Map")]
        return content
    }
}
