import CarillonModel
import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CarillonCommand

struct CampaignWatchTests {
    private static func event(_ state: String, accepted: Int) -> String {
        let counts = [
            "targeted", "received", "opened", "dismissed", "launched", "actions", "replies", "retrying", "deferred",
        ]
        .map { "\"\($0)\":0" }.joined(separator: ",")
        return """
            event: progress
            data: {"campaign":"cmp_000000000001","state":"\(state)","funnel":{"accepted":\(accepted),"skipped":{},"failed":{},\(counts)}}


            """
    }

    /// Serves tickets, and streams in order; the last one again and again.
    private func watch(
        _ streams: [StubAPI.Response]
    ) async throws -> (state: Campaign.State, shown: [Int], waits: [Duration]) {
        let (shown, waits, number) = (
            NIOLockedValueBox<[Int]>([]), NIOLockedValueBox<[Duration]>([]), NIOLockedValueBox(0)
        )
        let respond: @Sendable (StubAPI.Request) -> StubAPI.Response = { request in
            guard request.path.hasSuffix("/progress") else {
                return StubAPI.Response(body: #"{"ticket":"t","expiresAt":"2026-11-01T00:00:00Z"}"#)
            }
            let index = number.withLockedValue { number in
                defer { number += 1 }
                return number
            }
            return streams[min(index, streams.count - 1)]
        }
        return try await StubAPI.run(respond) { _, address in
            let server = try #require(URL(string: address))
            let state = try await CampaignWatch(
                api: OperatorAPI(server: server, key: "k"),
                campaign: "cmp_000000000001",
                wait: { pause in waits.withLockedValue { $0.append(pause) } },
                show: { progress, _ in shown.withLockedValue { $0.append(progress.funnel.accepted) } }
            )
            .run()
            return (state, shown.withLockedValue { $0 }, waits.withLockedValue { $0 })
        }
    }

    private static func stream(_ body: String, length: Int? = nil) -> StubAPI.Response {
        StubAPI.Response(type: "text/event-stream", body: body, length: length)
    }

    @Test("It reads events until the campaign is over")
    func reads() async throws {
        let body = ": \n\n" + Self.event("sending", accepted: 1) + Self.event("sent", accepted: 2)
        let result = try await watch([Self.stream(body)])
        #expect(result.state == .sent && result.shown == [1, 2] && result.waits == [])
    }

    @Test("It connects again when the stream breaks off or ends early")
    func connectsAgain() async throws {
        let result = try await watch([
            Self.stream(Self.event("sending", accepted: 1), length: 100_000),
            Self.stream(Self.event("paused", accepted: 2)),
            Self.stream(Self.event("cancelled", accepted: 3)),
        ])
        #expect(result.state == .cancelled && result.shown == [1, 2, 3])
        #expect(result.waits == [.seconds(1), .seconds(1)])
    }

    @Test("It gives up after five attempts without an event, and at once when the server refuses")
    func givesUp() async throws {
        let silent = [Self.stream(Self.event("sending", accepted: 1)), Self.stream(": \n\n")]
        let error = await #expect(throws: URLError.self) { try await watch(silent) }
        #expect(error?.code == .networkConnectionLost)
        await #expect(throws: URLError.self) { try await watch([Self.stream(": \n\n")]) }
        let problem = #"{"type":"t","title":"T","status":404,"code":"unknown-campaign"}"#
        let refusal = await #expect(throws: OperatorAPI.Refusal.self) {
            try await watch([StubAPI.Response(status: 404, body: problem)])
        }
        #expect(refusal?.kind == .missing)
    }

    @Test("Bars are drawn again in place in a terminal, and lines are written elsewhere when something changed")
    func draws() throws {
        func progress(_ accepted: Int) throws -> CampaignProgress {
            let lines = Self.event("sending", accepted: accepted).split(separator: "\n")
            return try JSONDecoder().decode(CampaignProgress.self, from: Data(lines[1].dropFirst(6).utf8))
        }
        var live = WatchScreen(campaign: "cmp_1", isLive: true)
        let first = try live.text(progress(1))
        #expect(first.hasPrefix("cmp_1: sending\n  targeted"))
        let height = first.split(separator: "\n").count
        #expect(try live.text(progress(2)).hasPrefix("\u{1B}[\(height)F\u{1B}[0Jcmp_1: sending\n"))
        var plain = WatchScreen(campaign: "cmp_1", isLive: false)
        #expect(try plain.text(progress(1)).hasPrefix("sending · targeted 0 · skipped 0 · accepted 1"))
        #expect(try plain.text(progress(1)) == "")
    }
}

struct EventStreamParserTests {
    @Test("Events are found whatever the parts are; comments and other fields are dropped")
    func parses() throws {
        let text = ": hello\n\nevent: progress\ndata: one\ndata:two\r\n\r\nid: 7\ndata: three\n\n"
        for size in 1...text.utf8.count {
            var parser = EventStreamParser()
            var found: [String] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                found += try parser.read(rest.prefix(size)).map { String(decoding: $0, as: UTF8.self) }
                rest = rest.dropFirst(size)
            }
            #expect(found == ["one\ntwo", "three"], "\(size)")
        }
    }

    @Test("A line without an end is refused")
    func limitsLines() {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.TooLong.self) {
            try parser.read([UInt8](repeating: 97, count: EventStreamParser.longestLine + 1))
        }
    }
}

struct VariantsViewTests {
    @Test("Each variant has its rate with its interval, on one scale")
    func showsIntervals() {
        var funnel = Funnel()
        var (a, b) = (VariantCounts(name: "A"), VariantCounts(name: "B"))
        (a.accepted, a.opened, b.accepted, b.opened) = (1_000, 100, 1_000, 200)
        a.rate()
        b.rate()
        funnel.variants = [a, b]
        funnel.winner = "B"

        let lines = VariantsView(funnel: funnel).lines

        #expect(lines.count == 5)
        #expect(lines[2].contains("100 of 1,000") && lines[2].contains("10.0 %") && lines[2].contains("8.3 %–12.0 %"))
        #expect(lines[3].hasSuffix("┤") && lines[3].contains("●") && lines[3].contains("├"))
        #expect(lines[4].contains("B is opened more often"))
        #expect(VariantsView(funnel: Funnel()).lines == [])
    }

    @Test("An interval's bounds and rate are in order on the bar")
    func drawsBars() {
        let half = String(repeating: "─", count: 19)
        #expect(VariantsView.bar(0, 0.5, 1, most: 1) == "├" + half + "●" + half.dropLast() + "┤")
        #expect(VariantsView.bar(0, 0, 0, most: 0).first == "●")
    }
}

struct SparklineTests {
    @Test("Heights are shares of the highest count, and only 0 is a blank")
    func draws() {
        #expect(Sparkline(counts: [0, 1, 50, 100]).text == " ▁▄█")
        #expect(Sparkline(counts: [0, 0]).text == "  ")
    }

    @Test("Counts are summed into columns by their share of the range")
    func sums() {
        #expect(Sparkline.columns([(0, 1), (0.24, 2), (0.5, 3), (1, 4)], width: 4) == [3, 0, 3, 4])
    }
}
