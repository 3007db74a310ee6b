/// Answers of the demo app's operations: the first three as the vendor's guide to it prints them, the others of made-up events
/// and stops with the fields that the demo app reads.
enum Fixtures {
    static let token = "f700e0396cd48298c0b314592490bbce"

    static let ok = #"{"errCode":0,"message":"Ok"}"#

    static let guest = #"{"errCode":0,"message":"Ok","value":{"dspName":"guest","isGuest":1}}"#

    static let login = #"{"errCode":0,"message":"Login Ok.","token":"\#(token)"}"#

    static let person = #"{"errCode":0,"message":"Ok","value":{"dspName":"alice","isGuest":false}}"#

    static let registration = #"{"errCode":0,"message":"Ok","value":{"actID":"a/1 7"}}"#

    static let events = """
        {"errCode":0,"message":"Ok","value":{"list":[
          {"spID":"53a1","title":"春之夜","time":"2014-04-19 19:30:00","placeName":"國立中山大學","imgURL":""},
          {"spID":"53a2","title":"海港合唱","time":"2014-04-20 14:00:00","placeName":"文化中心","imgURL":""}
        ]}}
        """

    static let event = """
        {"errCode":0,"message":"Ok","value":{"title":"春之夜","descTx":"","startDate":"2014-04-19",
          "endDate":"2014-04-20","organizer":"藝文中心","infoSrc":"全國藝文活動資訊系統","saleURL":"","showInfo":[
            {"time":"2014-04-19 19:30:00","placeName":"國立中山大學","addr":"高雄市鼓山區","latitude":"22.6264",
             "longitude":"120.2657","isFree":0,"priceInfo":"300"}]}}
        """

    static let stops = """
        {"errCode":0,"message":"Ok","value":{"list":[
          {"tsID":"t1","stName":"中山大學","stCode":"2101","latitude":"22.6265","longitude":"120.2660"}]}}
        """

    static let routes = """
        {"errCode":0,"message":"Ok","value":{"list":[{"brID":"r1","rtName":"橘9","descTx":"甲站－乙站"}]}}
        """

    static let arrivals = """
        {"errCode":0,"message":"Ok","value":{"list":[
          {"stName":"甲站","arvTime":"10:53","isInBd":"0"},{"stName":"乙站","isInBd":"1"}]}}
        """

    /// The demo app's server, for one person.
    static func demo(_ request: ScriptedServer.Request) -> String {
        let answers = [
            "core/user/profile": request.token == token ? person : guest, "core/user/login": login,
            "twShow/show/byCity/15": events, "twShow/show/info/53a1": event, "twCtBus/busStop/search": stops,
            "twCtBus/busStop/routes/t1": routes, "twCtBus/busRoute/next/r1": arrivals, "core/user/logout": ok,
        ]
        return answers[request.operation] ?? #"{"errCode":-14,"message":"no such operation"}"#
    }
}
