/// A kind of arts event, as `twShow/show/catList` has it.
struct CoimotionCategory: Hashable, Sendable {
    let id: String
    let name: String

    /// The nine of the vendor's demo app under its names, then the others of the Ministry of Culture, whose ids they are.
    static let all = [
        Self(id: "1", name: "音樂表演"), Self(id: "2", name: "戲劇表演"), Self(id: "3", name: "舞蹈表演"),
        Self(id: "4", name: "親子活動"), Self(id: "6", name: "展覽活動"), Self(id: "7", name: "講座"),
        Self(id: "8", name: "電影"), Self(id: "17", name: "演唱會"), Self(id: "15", name: "其它資訊"),
        Self(id: "5", name: "獨立音樂"), Self(id: "11", name: "綜藝活動"), Self(id: "13", name: "競賽活動"),
        Self(id: "14", name: "徵選活動"), Self(id: "19", name: "研習課程"), Self(id: "200", name: "閱讀"),
    ]
}

/// Ids of cities, `ctID`.
///
/// Of the vendor's ids only 15 is known, Kaohsiung. Counted around the island from the north, as such lists are in Taiwan, it
/// has this place.
enum CoimotionCity {
    /// In the order of the ids, from 1, with 台 for 臺.
    static let names = [
        "基隆市", "台北市", "新北市", "桃園市", "新竹市", "新竹縣", "苗栗縣", "台中市", "彰化縣", "南投縣", "雲林縣", "嘉義市",
        "嘉義縣", "台南市", "高雄市", "屏東縣", "台東縣", "花蓮縣", "宜蘭縣", "澎湖縣", "金門縣", "連江縣",
    ]

    /// The city of an id; `nil` when there is none.
    static func name(_ id: String) -> String? {
        guard let number = Int(id), names.indices.contains(number - 1) else { return nil }
        return names[number - 1]
    }
}
