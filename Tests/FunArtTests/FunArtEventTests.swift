import Foundation
import SampledFunArt
import Testing

/// The kinds, the list and the event of 瘋藝文.
@MainActor
struct FunArtEventTests {
    private let world = FunArtWorld()
    private let app: FunArtModel

    init() { app = FunArtModel(world.services) }

    private func session(_ id: String, _ title: String = "音樂會") -> EventSession {
        EventSession(id: id, event: "e1", title: title, startsAt: Date(timeIntervalSince1970: 1_795_692_600))
    }

    @Test("M-93 Nine kinds in this order")
    func kinds() {
        #expect(EventKind.allCases.map(\.rawValue) == ["1", "2", "3", "4", "6", "7", "8", "17", "15"])
        #expect(EventKind.allCases.map(Texts.chinese.name) == Texts.chinese.kindNames)
        #expect(Texts.chinese.name(of: .concert) == "演唱會")
    }

    @Test("M-94 A list goes from today through 7, 14, 21 or 28 days later", arguments: Period.allCases)
    func dates(period: Period) async {
        let ends = ["2026-12-03", "2026-12-10", "2026-12-17", "2026-12-24"]
        let screen = app.list(.music, period: period)
        await screen.load()
        #expect(world.asked == ["sessions 1 2026-11-26 \(ends[period.rawValue - 1])"])
    }

    @Test("M-94 Days are Taiwan's, of the Gregorian calendar")
    func days() {
        // 23:30 and 00:30 of the same night in Taiwan.
        #expect(Day(of: Date(timeIntervalSince1970: 1_795_707_000)).text == "2026-11-26")
        #expect(Day(of: Date(timeIntervalSince1970: 1_795_710_600)).text == "2026-11-27")
        #expect(Day(number: 0).adding(-1).text == "1969-12-31")
        #expect(Day(number: 20_783).start == Date(timeIntervalSince1970: 1_795_622_400))
    }

    @Test("M-95 Another kind begins with one week; what is shown already asks nobody")
    func choices() async {
        let screen = app.list(.music, period: .threeWeeks)
        await screen.choose(EventKind.music)
        await screen.choose(Period.threeWeeks)
        #expect(world.asked.isEmpty)

        await screen.choose(EventKind.film)
        #expect(screen.state.period == .oneWeek)
        await screen.choose(Period.twoWeeks)
        #expect(world.asked == ["sessions 8 2026-11-26 2026-12-03", "sessions 8 2026-11-26 2026-12-10"])
    }

    @Test("M-95 A new question gives the running one up: its answer is not shown")
    func cancels() async {
        world.answer { $0.isClosed = true }
        let screen = app.list(.music)
        async let first: Void = screen.load()
        while world.asked.isEmpty { await Task.yield() }
        async let second: Void = screen.choose(EventKind.dance)
        while world.asked.count < 2 { await Task.yield() }
        world.open()
        _ = await (first, second)
        #expect(screen.state.rows.map(\.title) == ["sessions 3 2026-11-26 2026-12-03"])
        #expect(!screen.state.isLoading)
    }

    @Test("M-96 Rows that follow each other under one title are one")
    func collapses() async {
        world.answer { answers in
            answers.sessions = [("1", "A"), ("2", "A"), ("3", "B"), ("4", "A")].map { session($0.0, $0.1) }
            answers.isStored = true
        }
        let screen = app.list(.music)
        await screen.load()
        #expect(screen.state.rows.map(\.id) == ["1", "3", "4"])
        #expect(screen.state.isStored)

        world.answer { $0.failure = Failure(.unreachable) }
        await screen.load()
        #expect(screen.state.rows.isEmpty)
        #expect(screen.state.failure?.reason == .unreachable)
    }

    @Test("M-97 What nobody said is said to be missing; dates have slashes and no seconds")
    func details() {
        var session = session("1")
        let empty = EventDetails(session, in: .chinese)
        #expect(empty.description == "未提供")
        #expect(empty.source == "N/A")
        #expect(empty.price == "N/A")
        #expect(empty.period == "")
        #expect(empty.time == "2026/11/26 19:30")
        #expect(EventDetails(session, in: .english).description == "Not provided")

        session.description = "說明"
        session.source = "全國藝文活動資訊系統"
        session.price = "500"
        (session.startDate, session.endDate) = ("2026-11-26", "2026-11-28")
        let whole = EventDetails(session, in: .chinese)
        #expect(whole.description == "說明")
        #expect(whole.source == "全國藝文活動資訊系統")
        #expect(whole.price == "500" && !whole.isFree)
        #expect(whole.period == "2026/11/26 - 2026/11/28")
    }

    @Test("M-97 What is free has neither price nor tickets; without an address there is no button")
    func tickets() {
        var session = session("1")
        #expect(EventDetails(session, in: .chinese).ticketURL == nil)
        session.ticketURL = URL(string: "https://tickets.example/1")
        #expect(EventDetails(session, in: .chinese).ticketURL == session.ticketURL)
        session.isFree = true
        let details = EventDetails(session, in: .chinese)
        #expect(details.ticketURL == nil && details.price == nil && details.isFree)
    }

    @Test("M-98 Only several sessions can be chosen from, and the map gets the chosen one")
    func sessions() async throws {
        var (one, two) = (session("1"), session("2"))
        one.position = Position(latitude: 22.6, longitude: 120.3)
        two.position = Position(latitude: 22.7, longitude: 120.4)
        world.answer { $0.sessions = [one] }
        let screen = app.event("e1")
        await screen.load()
        #expect(!screen.state.hasSeveralSessions)

        world.answer { $0.sessions = [one, two] }
        await screen.load()
        #expect(screen.state.hasSeveralSessions)
        screen.choose(1)
        screen.choose(7)
        let chosen = try #require(screen.state.session)
        #expect(chosen.id == "2")
        #expect(app.map(chosen)?.state.center == two.position)
        #expect(app.map(session("3")) == nil)
    }

    @Test("An event's venue is followed and not any more; what the phone does not allow is said")
    func followsVenue() async {
        var session = session("1")
        let position = Position(latitude: 22.6, longitude: 120.3)
        session.position = position
        world.answer { $0.sessions = [session] }
        let screen = app.event("e1")
        await screen.load()
        #expect(screen.state.isPlaceFollowed == false)
        await screen.toggleFollow()
        #expect(screen.state.isPlaceFollowed == true)
        await screen.toggleFollow()
        #expect(screen.state.isPlaceFollowed == false)

        world.answer { $0.failure = Failure(.notificationsDenied) }
        await screen.toggleFollow()
        #expect(screen.state.isPlaceFollowed == false)
        #expect(screen.state.failure?.reason == .notificationsDenied)
    }

    @Test("Kinds are followed, kinds and places are not any more")
    func follows() async {
        let place = Follow.place(Position(latitude: 22.6, longitude: 120.3))
        world.answer { $0.follows = [place] }
        let screen = app.follows()
        await screen.load()
        #expect(screen.state.places.count == 1 && screen.state.kinds.isEmpty)
        await screen.set(.kind(.music), isOn: true)
        await screen.set(place, isOn: false)
        #expect(screen.state.kinds == [.music])
        #expect(screen.state.places.isEmpty)
    }
}
