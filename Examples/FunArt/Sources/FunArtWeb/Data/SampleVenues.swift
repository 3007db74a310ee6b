/// A venue of the sample data; none of them exists.
struct SampleVenue: Sendable {
    var name: String
    var address: String
    /// `nil`: the data have no coordinates, as those of one event in five.
    var position: Position?

    /// Venues in Kaohsiung, within the network of ``BusNetwork``.
    static let kaohsiung = [
        venue("港濱音樂廳", "高雄市鼓山區濱海測試路12號", 22.6212, 120.2776),
        venue("駁船藝術倉庫", "高雄市鹽埕區大勇範例街8號", 22.6197, 120.2817),
        venue("鹽埕小劇場", "高雄市鹽埕區七賢範例路110號", 22.6255, 120.2843),
        venue("愛河露天舞台", "高雄市前金區河東範例路1號", 22.6268, 120.2901),
        venue("中城圖書館演講廳", "高雄市前鎮區新光範例路61號", 22.6105, 120.3009),
        venue("衛星實驗劇場", "高雄市鳳山區三多範例路1號", 22.6231, 120.3416),
        venue("左營眷村藝文館", "高雄市左營區明德範例街29號", 22.6873, 120.2912),
        venue("北城美術館", "高雄市鼓山區美術範例路80號", 22.6562, 120.2869),
        venue("三民親子中心", "高雄市三民區民族範例路55號", 22.6419, 120.3157),
        venue("小港社區電影院", "高雄市前鎮區沿海範例路300號", 22.5896, 120.3401),
        venue("獅甲體育館", "高雄市苓雅區中正範例路99號", 22.6288, 120.3304),
        venue("凹仔底廣場", "高雄市鼓山區博愛範例路222號", 22.6574, 120.3028),
    ]

    /// Venues elsewhere, which the app does not list.
    static let elsewhere = [
        venue("府城文化館", "臺南市中西區府前範例路2號", 22.9889, 120.2020),
        venue("台中光影劇院", "台中市西區五權範例路101號", 24.1410, 120.6630),
        venue("淡水河岸藝廊", "新北市淡水區中正範例路15號", 25.1700, 121.4400),
        venue("北投溫泉劇場", "台北市北投區光明範例路3號", 25.1360, 121.5060),
        SampleVenue(name: "花東巡迴舞台", address: "花蓮縣花蓮市海岸範例路9號", position: nil),
    ]

    private static func venue(_ name: String, _ address: String, _ latitude: Double, _ longitude: Double) -> Self {
        SampleVenue(name: name, address: address, position: Position(latitude: latitude, longitude: longitude))
    }
}

/// The words of the sample data's titles, by the ministry's number of the kind.
enum SampleTitles {
    /// All thirteen kinds.
    static let kinds = ["1", "2", "3", "4", "5", "6", "7", "8", "11", "13", "14", "15", "17"]

    static func subjects(_ kind: String) -> [String] {
        switch kind {
        case "1": ["弦樂四重奏音樂會", "鋼琴獨奏會", "室內樂之夜", "合唱團公演", "管風琴午間音樂會"]
        case "2": ["新編歌仔戲", "獨角戲", "讀劇會", "偶戲公演", "實驗劇場"]
        case "3": ["現代舞新作", "芭蕾小品集", "街舞之夜", "民族舞蹈展演"]
        case "4": ["親子故事劇", "兒童音樂遊戲", "紙箱城市工作坊", "影子戲教室"]
        case "5": ["獨立樂團專場", "地下室演出", "電子音樂現場"]
        case "6": ["水彩個展", "攝影聯展", "陶藝雙年展", "海洋裝置展", "書法特展"]
        case "7": ["城市史講座", "建築散步講堂", "文學午茶", "科學與藝術對談"]
        case "8": ["紀錄片放映", "動畫短片集", "經典修復電影", "映後座談場"]
        case "11": ["綜藝晚會", "魔術之夜", "雜技嘉年華"]
        case "13": ["攝影比賽", "作文競賽", "街頭藝人大賽"]
        case "14": ["公共藝術徵選", "青年劇本徵件", "海報設計徵選"]
        case "17": ["巡迴演唱會", "週年演唱會", "海邊演唱會"]
        default: ["市集", "導覽活動", "志工招募說明會", "開放工作室"]
        }
    }

    static let moods = [
        "夏夜", "港都", "島嶼", "山海", "微光", "回聲", "城南", "河岸", "月下", "晨曦", "遠方", "潮汐", "舊城", "風起", "雨後", "星空",
    ]
    static let groups = ["南風", "鹽埕", "旗津", "木棉", "白鷺", "燈塔", "珊瑚", "鳳凰木", "打狗", "海線"]
    static let organizers = ["港濱藝文基金會", "南風文化協會", "城市故事工作室", "燈塔表演藝術團", "木棉花藝術中心"]
}
