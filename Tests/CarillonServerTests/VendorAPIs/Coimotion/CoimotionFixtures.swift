import CarillonContentSets
import CarillonModel
import Foundation

/// The vendor's guide, as far as it prints requests and answers, and made-up data in the formats of the open data.
enum CoimotionFixtures {
    /// The answer to `core/user/profile` without a valid token, as the guide prints it.
    static let guest: JSONValue = .object([
        "errCode": 0, "message": "Ok", "value": .object(["dspName": "guest", "isGuest": 1]),
    ])

    /// The names of the answer to `core/user/login`, as the guide prints it.
    static let login: Set<String> = ["errCode", "message", "token"]

    /// A week of events of a category in Kaohsiung, as the guide asks for it.
    static let week: [String: JSONValue] = ["cat": "1", "fromTm": "2026-11-26", "toTm": "2026-12-03"]

    /// Ids of events.
    static let spring = "53a1b2c3d4e5f60718293a4b", harbour = "53a1b2c3d4e5f60718293a4c"
    static let exhibition = "53a1b2c3d4e5f60718293a4d", north = "53a1b2c3d4e5f60718293a4e"
    static let late = "53a1b2c3d4e5f60718293a4f"

    /// Events of the Ministry of Culture's form: the first has sessions in two cities and a third one later, the last one is
    /// on the evening of the week's last day.
    static let events = """
        [{"UID":"\(spring)","title":"春之夜","category":"1","showUnit":"愛樂","descriptionFilterHtml":"",
          "imageUrl":"","masterUnit":["國立中山大學藝文中心"],"webSales":"https://tickets.example.com/1",
          "sourceWebPromote":"","sourceWebName":"全國藝文活動資訊系統","startDate":"2026/11/26","endDate":"2026/12/20",
          "showInfo":[
           {"time":"2026/11/28 19:30:00","endTime":"2026/11/28 21:30:00","location":"高雄市鼓山區蓮海路70號",
            "locationName":"國立中山大學","onSales":"Y","price":"300","latitude":"22.6264","longitude":"120.2657"},
           {"time":"2026/12/01 14:00:00","endTime":"","location":"高雄市鳳山區三多一路1號","locationName":"衛武營",
            "onSales":"N","price":"","latitude":"22.6230","longitude":"120.3410"},
           {"time":"2026/11/29 14:00:00","endTime":"","location":"臺北市中正區","locationName":"國家音樂廳",
            "onSales":"Y","price":"500","latitude":"25.0352","longitude":"121.5194"},
           {"time":"2026/12/19 14:00:00","endTime":"","location":"高雄市左營區","locationName":"左營高中",
            "onSales":"Y","price":"300","latitude":null,"longitude":null}]},
         {"UID":"\(harbour)","title":"海港合唱","category":"1","descriptionFilterHtml":"合唱","imageUrl":"/pic.jpg",
          "masterUnit":null,"webSales":null,"sourceWebPromote":"https://example.com/h","startDate":"2026/11/28",
          "endDate":"2026/11/28","showInfo":[
           {"time":"2026/11/28 20:00:00","endTime":"","location":"高雄市苓雅區五福一路67號","locationName":"文化中心",
            "onSales":"N","price":"免費","latitude":"22.6269","longitude":"120.3180"}]},
         {"UID":"\(exhibition)","title":"海洋展","category":"6","startDate":"2026/11/28","endDate":"2026/11/28",
          "showInfo":[{"time":"2026/11/28 09:00:00","location":"高雄市鼓山區","locationName":"美術館","onSales":"N",
          "price":"","latitude":"22.6563","longitude":"120.2864"}]},
         {"UID":"\(north)","title":"北城","category":"1","startDate":"2026/11/28","endDate":"2026/11/28",
          "showInfo":[{"time":"2026/11/28 10:00:00","location":"台北市信義區","locationName":"廳","onSales":"Y",
          "price":"1","latitude":"25.0400","longitude":"121.5600"}]},
         {"UID":"\(late)","title":"末班","category":"1","startDate":"2026/12/03","endDate":"2026/12/03",
          "showInfo":[{"time":"2026/12/03 23:59:59","location":"高雄市三民區","locationName":"館","onSales":"Y",
          "price":"1","latitude":"22.6400","longitude":"120.3100"}]}]
        """

    static let stops = """
        [{"id":"KHH1","code":"2101","name":"中山大學","latitude":22.6265,"longitude":120.266,"routes":["KHH100","KHH88"]},
         {"id":"KHH2","name":"哨船頭","latitude":22.6240,"longitude":120.2690,"routes":["KHH100"]},
         {"id":"KHH3","code":"2103","name":"西子灣站","latitude":22.6215,"longitude":120.2745,"routes":["KHH100"]},
         {"id":"KHH4","code":"2104","name":"遠站","latitude":22.7000,"longitude":120.3000,"routes":[]}]
        """

    /// At 16:44 of the tests' clock, a Saturday in Taipei, the next bus out leaves at 16:50, and the next one back at 17:10.
    static var routes: String {
        var (out, back) = (
            TransitTimetable.Pattern(direction: 0, stops: ["KHH1", "KHH2", "KHH3"]),
            TransitTimetable.Pattern(direction: 1, stops: ["KHH3", "KHH2", "KHH1"])
        )
        out.profiles = [[0, 300, 600]]
        out.trips = [.init(id: "t1", service: 0, profile: 0, start: 60_600)]
        back.profiles = [[0, 300, -1]]
        back.trips = [.init(id: "t2", service: 0, profile: 0, start: 61_800)]
        let daily = TransitTimetable.Service(weekdays: Array(repeating: true, count: 7), first: 0, last: 99_999)
        let timetable = TransitTimetable(zone: "Asia/Taipei", patterns: [out, back], services: [daily])
        let routes: [JSONValue] = [
            .object([
                "id": "KHH100", "name": "橘9", "description": "捷運衛武營站－林園區公所", "timetable": timetable.json,
            ]),
            .object(["id": "KHH88", "name": "88"]),
        ]
        return String(decoding: (try? JSONEncoder.sorted().encode(routes)) ?? .init(), as: UTF8.self)
    }
}
