import CarillonModel
import Testing

@testable import CarillonContentSets

/// Taiwan's TDX.
struct TDXTests {
    private let definition: ContentSetDefinition

    init() throws { definition = try #require(.preset("transit")) }

    @Test("M-61 M-75 Stops, routes and their order import; names and positions may be missing") func tables() throws {
        let text = #"""
            {"Stop":[
            {"StopUID":"KHH1","StopID":"1","StopName":{"Zh_tw":"瑞豐站","En":"Ruifeng"},"StopPosition":{"PositionLon":120.3,"PositionLat":22.6}},
            {"StopUID":"KHH2","StopID":"2","StopName":{"En":"Station"}},
            {"StopUID":"KHH3","StopID":"3","StopName":{},"StopPosition":{}}],
            "Route":[{"RouteUID":"KHH100","RouteID":"100","RouteName":{"Zh_tw":"100百貨幹線"},"DepartureStopNameZh":"瑞豐站","DestinationStopNameZh":"高雄火車站"},
            {"RouteUID":"KHH200","RouteID":"200","RouteName":{}}],
            "StopOfRoute":[{"RouteUID":"KHH100","Direction":0,"Stops":[{"StopUID":"KHH2","StopSequence":2},{"StopUID":"KHH1","StopSequence":1}]},
            {"RouteUID":"KHH100","Direction":1,"Stops":[{"StopUID":"KHH3","StopSequence":1}]},
            {"RouteUID":"KHH100","Direction":2,"Stops":[]}]}
            """#
        let file = try read(text, .tdx, definition)
        let stops = try file.documents("stops", of: definition)
        #expect(stops.map { $0["name"]?.string } == ["瑞豐站", "Station", "KHH3"])
        #expect(stops.map { $0["position"] != nil } == [true, false, false])
        #expect(stops[0]["routes"] == .array([.string("KHH100")]))
        let routes = try file.documents("routes", of: definition)
        #expect(routes.map { $0["name"]?.string } == ["100百貨幹線", "200"])
        #expect(routes[0]["description"] == "瑞豐站－高雄火車站")
        let timetable = try #require(TransitTimetable(routes[0]["timetable"]))
        #expect(timetable.mainPattern(direction: 0)?.stops == ["KHH1", "KHH2"])
        #expect(timetable.mainPattern(direction: 1)?.stops == ["KHH3"])
    }

    @Test("M-77 Pages that go on behind the last one that is asked for are cut off") func cutOff() {
        var pages = TDXPages()
        var count = 0
        while pages.query != nil {
            #expect(!pages.isCutOff)
            pages.note(count: TDXPages.size)
            count += 1
        }
        #expect(count == TDXPages.maximumCount && pages.isCutOff)
        var short = TDXPages()
        short.note(count: 1)
        #expect(short.query == nil && !short.isCutOff)
    }

    private func row(_ members: [String: JSONValue]) -> JSONValue {
        .object(members.merging(["StopUID": "s", "RouteUID": "r"]) { own, _ in own })
    }

    private func time(_ rows: [JSONValue], isInbound: Bool = false) throws -> Int64? {
        let now = try instant("2026-11-26T00:00:00Z")
        return TDXArrivals(rows, route: "r", at: now).time(stop: "s", isInbound: isInbound).map {
            ($0.rawValue - now.rawValue) / 1_000
        }
    }

    @Test("M-76 An estimate counts with the statuses 0 and 1, and without one", arguments: [0, 1, nil] as [Int64?])
    func estimates(_ status: Int64?) throws {
        var members: [String: JSONValue] = ["EstimateTime": 90]
        members["StopStatus"] = status.map(JSONValue.integer)
        #expect(try time([row(members)]) == 90)
    }

    @Test("M-76 Without an estimate the next departure counts, else nothing") func nextBus() throws {
        #expect(try time([row(["StopStatus": 1, "NextBusTime": "2026-11-26T08:10:00+08:00"])]) == 600)
        #expect(try time([row(["StopStatus": 1])]) == nil)
    }

    @Test("M-76 With the statuses 2 through 4 no vehicle comes", arguments: [2, 3, 4] as [Int64])
    func noService(_ status: Int64) throws {
        #expect(try time([row(["StopStatus": .integer(status), "EstimateTime": 90])]) == nil)
    }

    @Test("M-76 Of several rows of a stop the earliest counts") func earliest() throws {
        let rows = [300, 60, 200].map { row(["EstimateTime": .integer($0)]) }
        #expect(try time(rows) == 60)
    }

    @Test("M-76 A loop and an unknown direction are outbound", arguments: [2, 255] as [Int64])
    func directions(_ direction: Int64) throws {
        let rows = [row(["Direction": .integer(direction), "EstimateTime": 5])]
        #expect(try time(rows) == 5)
        #expect(try time(rows, isInbound: true) == nil)
    }

    private let body = Array(#"{"access_token":"abc","expires_in":3600,"token_type":"Bearer"}"#.utf8)
    private func at(_ seconds: Int64) -> Timestamp { Timestamp(rawValue: seconds * 1_000) }

    @Test("M-77 A token is fetched once and used until it expires") func tokenLife() {
        var token = TDXToken()
        #expect(token.step(at: at(0)) == .fetch)
        let result1 = token.receive(body, at: at(0))
        #expect(result1)
        #expect(token.step(at: at(0)) == .use("abc"))
        #expect(token.step(at: at(3_539)) == .use("abc"))
        #expect(token.step(at: at(3_540)) == .fetch)
    }

    @Test("M-77 A 401 renews the token once") func renewal() {
        var token = TDXToken()
        _ = token.receive(body, at: at(0))
        let result2 = token.note(status: 401, retryAfter: nil, at: at(1))
        #expect(result2 == .again)
        #expect(token.step(at: at(1)) == .fetch)
        _ = token.receive(body, at: at(1))
        let result3 = token.note(status: 401, retryAfter: nil, at: at(2))
        #expect(result3 == .refused)
        // After an answer the next refusal may renew it again.
        _ = token.receive(body, at: at(3))
        let result4 = token.note(status: 200, retryAfter: nil, at: at(3))
        #expect(result4 == .accepted)
        let result5 = token.note(status: 401, retryAfter: nil, at: at(4))
        #expect(result5 == .again)
    }

    @Test("M-77 A 429 makes a pause, longer each time") func backOff() {
        var token = TDXToken()
        _ = token.receive(body, at: at(0))
        let result6 = token.note(status: 429, retryAfter: nil, at: at(0))
        #expect(result6 == .again)
        #expect(token.step(at: at(1)) == .wait(until: at(2)))
        #expect(token.step(at: at(2)) == .use("abc"))
        _ = token.note(status: 429, retryAfter: nil, at: at(2))
        #expect(token.step(at: at(2)) == .wait(until: at(6)))
        _ = token.note(status: 429, retryAfter: 60, at: at(6))
        #expect(token.step(at: at(6)) == .wait(until: at(66)))
    }

    @Test("M-77 Pages go on beyond 30 rows until one is not full") func pages() {
        var pages = TDXPages()
        #expect(pages.query == "$format=JSON&$top=1000&$skip=0")
        pages.note(count: 1_000)
        #expect(pages.query == "$format=JSON&$top=1000&$skip=1000")
        pages.note(count: 30)
        #expect(pages.query == nil)
    }

    @Test("An answer without a token is none", arguments: ["{}", "x", #"{"access_token":"a b","expires_in":1}"#])
    func brokenToken(_ text: String) {
        var token = TDXToken()
        let isRead = token.receive(Array(text.utf8), at: at(0))
        #expect(!isRead)
        #expect(token.step(at: at(0)) == .fetch)
    }
}
