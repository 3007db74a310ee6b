import CarillonEngine
import CarillonModel
import Testing

struct SendWindowTests {
    private let apps = (1...4).map { AppID(rawValue: $0) }

    private func window(_ total: Int, _ irreplaceable: Int) -> SendWindow {
        var limits = SendWindow.Limits()
        (limits.total, limits.irreplaceable) = (total, irreplaceable)
        return SendWindow(limits)
    }

    private func request(_ app: Int, _ count: Int, replaceable: Bool = true) -> SendWindow.Request {
        SendWindow.Request(app: apps[app], count: count, isReplaceable: replaceable)
    }

    @Test("One App never fills the window, and another App's first request fits")
    func share() {
        var window = window(80, 8)
        var granted = 0
        while window.ask(request(0, 10)).isGranted { granted += 10 }

        #expect(granted == 70)
        #expect(window.hasRoom == false, "the first App waits")
        let other = window.ask(request(1, 10))
        #expect(other.isGranted)
        #expect(window.total == 80)
    }

    @Test("Both kinds together leave an eighth of the window to others")
    func sharesOfBothKinds() {
        var window = window(80, 16)
        while window.ask(request(0, 10)).isGranted || window.ask(request(0, 2, replaceable: false)).isGranted {}
        #expect(window.total == 70)
        #expect(window.ask(request(1, 2, replaceable: false)).isGranted)
    }

    @Test("Room goes to the App with the least in the window")
    func fairness() {
        var window = window(80, 8)
        while window.ask(request(0, 10)).isGranted {}
        #expect(window.ask(request(1, 10)).isGranted)
        let (second, third) = (window.ask(request(1, 10)), window.ask(request(2, 10)))
        #expect(!second.isGranted && !third.isGranted)

        #expect(window.release(request(0, 10)) == [third.id])
        #expect(window.release(request(0, 10)) == [second.id])
    }

    @Test("Irreplaceable notifications have a smaller limit, and go first within it")
    func irreplaceable() {
        var window = window(80, 16)
        #expect(window.largestRequest(isReplaceable: true) == 10)
        #expect(window.largestRequest(isReplaceable: false) == 2)
        for _ in 0..<7 { #expect(window.ask(request(0, 2, replaceable: false)).isGranted) }
        let late = window.ask(request(0, 2, replaceable: false))
        #expect(!late.isGranted, "an eighth of the smaller bound is left to others as well")
        #expect(window.ask(request(1, 2, replaceable: false)).isGranted)
        #expect(window.irreplaceable == 16)
        #expect(window.ask(request(0, 10)).isGranted, "a broadcast does not wait for it")

        while window.ask(request(2, 2)).isGranted {}
        let first = window.release(request(0, 2, replaceable: false))
        #expect(first.first == late.id)
    }

    @Test("A withdrawn request has no room, and the next one is granted")
    func withdrawal() {
        var window = window(8, 8)
        for _ in 0..<7 { #expect(window.ask(request(0, 1)).isGranted) }
        #expect(window.ask(request(1, 1)).isGranted)
        let (second, third) = (window.ask(request(1, 1)), window.ask(request(2, 1)))
        #expect(window.withdraw(second.id) == (granted: [], wasWaiting: true))
        #expect(window.release(request(0, 1)) == [third.id])
        #expect(window.withdraw(third.id) == (granted: [], wasWaiting: false))
        #expect(window.waitingCount == 0 && window.total == 8)
    }

    @Test(
        "No limit is exceeded, no request waits for ever, and all room is released, for random requests",
        arguments: 0..<50
    )
    func randomLife(seed: UInt64) {
        let luck = SeededLuck(seed)
        let (total, irreplaceable) = (1 + luck.next(400), 1 + luck.next(100))
        var window = window(total, irreplaceable)
        var held: [SendWindow.Request] = []
        var waiting: [Int: SendWindow.Request] = [:]
        func grant(_ ids: [Int]) {
            for id in ids {
                if let request = waiting.removeValue(forKey: id) { held.append(request) }
            }
        }
        for _ in 0..<2_000 {
            switch luck.next(5) {
            case 0, 1:
                let isReplaceable = luck.next(3) > 0
                let count = 1 + luck.next(window.largestRequest(isReplaceable: isReplaceable))
                let new = request(luck.next(4), count, replaceable: isReplaceable)
                let (id, isGranted, others) = window.ask(new)
                if isGranted { held.append(new) } else { waiting[id] = new }
                grant(others)
            case 2:
                if let id = waiting.keys.min(), luck.next(4) == 0 {
                    let (granted, wasWaiting) = window.withdraw(id)
                    #expect(wasWaiting)
                    waiting[id] = nil
                    grant(granted)
                }
            default:
                if !held.isEmpty { grant(window.release(held.remove(at: luck.next(held.count)))) }
            }
            #expect(window.total == held.reduce(0) { $0 + $1.count } && window.total <= total)
            let few = held.filter { !$0.isReplaceable }.reduce(0) { $0 + $1.count }
            #expect(window.irreplaceable == few && few <= irreplaceable)
            #expect(window.waitingCount == waiting.count)
            #expect(waiting.isEmpty || !held.isEmpty, "somebody waits, and nobody will make room")
        }
        while let last = held.popLast() { grant(window.release(last)) }
        #expect(waiting.isEmpty && window.total == 0 && window.irreplaceable == 0)
    }
}
