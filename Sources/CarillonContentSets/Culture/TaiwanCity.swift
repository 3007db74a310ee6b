/// Cities and counties of Taiwan, as addresses begin.
package enum TaiwanCity {
    /// Today's names, with 台 for 臺.
    package static let names = [
        "台北市", "新北市", "桃園市", "台中市", "台南市", "高雄市", "基隆市", "新竹市", "新竹縣", "苗栗縣", "彰化縣", "南投縣", "雲林縣",
        "嘉義市", "嘉義縣", "屏東縣", "宜蘭縣", "花蓮縣", "台東縣", "澎湖縣", "金門縣", "連江縣",
    ]

    /// Counties that became cities, or parts of one.
    private static let former = [
        "台北縣": "新北市", "桃園縣": "桃園市", "台中縣": "台中市", "台南縣": "台南市", "高雄縣": "高雄市",
    ]

    /// The city in which an address is.
    ///
    /// - Parameter address: An address; a postal code and 台灣 may stand before the city, and 臺 for 台.
    /// - Returns: The name with 台; `nil` when the address begins with none.
    package static func name(_ address: String) -> String? {
        var rest = address.replacing("臺", with: "台")[...]
        rest = rest.drop { $0.isNumber || $0.isWhitespace || "[]()（）-".contains($0) }
        for country in ["中華民國", "台灣省", "台灣"] where rest.hasPrefix(country) {
            rest = rest.dropFirst(country.count).drop { $0.isWhitespace || $0.isNumber }
        }
        if let name = names.first(where: rest.hasPrefix) { return name }
        if let name = former.first(where: { rest.hasPrefix($0.key) })?.value { return name }
        // Without its last character, as 高雄 before a district.
        let unique = names.filter { rest.hasPrefix($0.dropLast()) }
        return unique.count == 1 ? unique[0] : nil
    }
}
