import Foundation
import SampledFunArt
import Testing

@testable import SampledFunArtWeb

/// 瘋藝文's sample data; that they have the real formats shows in their import.
@Suite struct FunArtDataTests {
    private let today = Day(number: 20_783)

    @Test("400 events in 13 kinds, the same on the same day, most of them in the app's city")
    func events() throws {
        let events = SampleEvents(today: today, count: 400)
        let all = events.all()
        #expect(Set(all.map(\.uid)).count == 400)
        #expect(Set(all.map(\.category)).count == 13)
        #expect(all.allSatisfy { $0.uid.count == 24 && !$0.showInfo.isEmpty })
        #expect(all.filter { $0.showInfo[0].location.hasPrefix("高雄市") }.count > 200)
        #expect(try events.file() == SampleEvents(today: today, count: 400).file())
        for kind in EventKind.allCases {
            let near = all.filter { $0.category == kind.rawValue && $0.showInfo[0].location.hasPrefix("高雄市") }
            #expect(near.count >= 8)
        }
        let extra = events.all(extras: ["1", "8"]).suffix(2)
        #expect(extra.map(\.category) == ["1", "8"])
        #expect(extra.allSatisfy { $0.showInfo.count == 1 && $0.showInfo[0].location.hasPrefix("高雄市") })
    }

    @Test("2,000 stops, each with a place; routes stop nowhere twice")
    func network() {
        let network = BusNetwork(stopCount: 2_000, routeCount: 80)
        #expect(network.crossings.count == 1_000)
        #expect(Set(network.crossings.map(\.name)).count == 1_000)
        #expect(Set(network.routes.map(\.id)).count == 80)
        for route in network.routes {
            #expect(Set(route.crossings).count == route.crossings.count && route.crossings.count >= 5)
            #expect(route.steps.count == route.crossings.count - 1)
        }
        #expect(Set(network.routes.flatMap(\.crossings)).count > 600)
    }

    @Test("What the buses tell is the same at the same second, and changes within a minute")
    func realtime() {
        let day = RealtimeDay(network: BusNetwork(stopCount: 200, routeCount: 8))
        for hour in stride(from: 0, to: 24, by: 6) {
            let time = today.start.addingTimeInterval(Double(hour) * 3_600 + 30)
            #expect(day.feed(at: time) == day.feed(at: time))
            #expect(day.feed(at: time) != day.feed(at: time.addingTimeInterval(60)))
            #expect(day.feed(at: time).count > 500)
        }
    }

    @Test("Numbers and messages are written as Protocol Buffers have them")
    func protobuf() {
        var writer = ProtobufWriter()
        writer.number(1, 300)
        writer.text(2, "é")
        writer.message(3) { $0.number(1, -1) }
        let minusOne: [UInt8] = [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01]
        #expect(writer.bytes == [0x08, 0xAC, 0x02, 0x12, 0x02, 0xC3, 0xA9, 0x1A, 0x0B] + minusOne)
    }
}
