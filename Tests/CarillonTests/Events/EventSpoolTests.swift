import Carillon
import CarillonModel
import Foundation
import PhoneSimulator
import Testing

@Suite("Events on disk")
struct EventSpoolTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appendingPathComponent("events-app.spool")
    }

    private func spool(count: Int = 2_000, bytes: Int = 1_048_576, remembered: Int = 1_000) -> EventSpool {
        var limits = EventSpool.Limits()
        limits.count = count
        limits.bytes = bytes
        limits.remembered = remembered
        return EventSpool(file: file, limits: limits)
    }

    @Test("Events are read in order, also after a restart") func keepsOrder() throws {
        var first = spool()
        for number in UInt32(1)...3 { #expect(try first.append(Sample.event(number))) }
        var second = spool()

        #expect(try second.first(2) == [Sample.event(1), Sample.event(2)])
        #expect(try second.count() == 3)
    }

    @Test("An event is accepted once per Occurrence, kind and button, also after its upload and a restart")
    func acceptsEventsOnce() throws {
        var first = spool()
        var press = Sample.event(1, .action)
        press.action = "yes"
        var otherPress = press
        otherPress.action = "no"
        #expect(try first.append(Sample.event(1)))
        #expect(try first.append(Sample.event(1, .opened)))
        #expect(try first.append(press))
        #expect(try first.append(otherPress))
        #expect(try !first.append(press))
        try first.finish([press, Sample.event(1)])
        #expect(try !first.append(press))
        var second = spool()

        #expect(try !second.append(Sample.event(1)))
        #expect(try !second.append(otherPress))
        #expect(try second.first(10) == [Sample.event(1, .opened), otherPress])
    }

    @Test("An event keeps all of the typed text") func keepsTypedText() throws {
        var first = spool()
        var reply = Sample.event(1, .action)
        reply.action = "reply"
        reply.reply = "two\nlines, \"quoted\" and 🍏"
        #expect(try first.append(reply))
        var second = spool()

        #expect(try second.first(1) == [reply])
    }

    @Test("All whole events are read from a file that is cut at any point", arguments: 0..<24)
    func readsCutFiles(slice: Int) throws {
        var first = spool()
        for number in UInt32(1)...3 { _ = try first.append(Sample.event(number)) }
        try first.finish([Sample.event(1)])
        let whole = try Data(contentsOf: file)
        let end = whole.count * slice / 24
        try whole.prefix(end).write(to: file)
        let lines = whole.prefix(end).filter { $0 == 0x0A }.count

        var second = spool()
        let expected = lines >= 4 ? [Sample.event(2), Sample.event(3)] : (1...3).prefix(lines).map { Sample.event($0) }
        #expect(try second.first(10) == expected)
        // What comes after the torn line is whole.
        #expect(try second.append(Sample.event(9, .opened)))
        var third = spool()
        #expect(try third.first(10) == expected + [Sample.event(9, .opened)])
    }

    @Test("A changed byte is detected, and no changed event is read") func detectsChangedBytes() throws {
        var first = spool()
        for number in UInt32(1)...2 { _ = try first.append(Sample.event(number)) }
        let whole = try Data(contentsOf: file)
        for index in whole.indices {
            var broken = whole
            broken[index] ^= 0x15
            try broken.write(to: file)
            var again = spool()
            let events = try again.first(10)
            #expect(events.count < 2, "byte \(index)")
            #expect(Set(events).isSubset(of: [Sample.event(1), Sample.event(2)]))
        }
    }

    @Test("The number of events is limited: the oldest is dropped and counted") func limitsTheCount() throws {
        var first = spool(count: 5)
        for number in UInt32(1)...8 { _ = try first.append(Sample.event(number)) }
        var second = spool(count: 5)

        #expect(try second.first(10) == (4...8).map { Sample.event($0) })
        #expect(second.droppedCount == 3)
        // What was thrown away is not taken again.
        #expect(try !second.append(Sample.event(1)))
    }

    @Test("The size of the events is limited, and dropped events are counted") func limitsTheSize() throws {
        var first = spool(bytes: 2_000)
        for number in UInt32(1)...40 { _ = try first.append(Sample.event(number)) }

        let kept = try first.first(100)
        #expect(kept.count < 20 && kept.last == Sample.event(40))
        #expect(first.droppedCount == 40 - kept.count)
    }

    @Test("The file stays small, however many events are written and finished") func limitsTheFile() throws {
        var first = spool(remembered: 50)
        for number in UInt32(1)...1_000 {
            _ = try first.append(Sample.event(number))
            try first.finish([Sample.event(number)])
        }

        let size = try #require(FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
        #expect(size < 100_000)
        var second = spool(remembered: 50)
        #expect(try second.count() == 0)
        #expect(try !second.append(Sample.event(1_000)))
    }

    @Test("Events that are written concurrently are all saved, none of them twice")
    func savesConcurrentEvents() async throws {
        let file = file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in UInt32(0)..<4 {
                group.addTask {
                    var spool = EventSpool(file: file)
                    for number in UInt32(1)...50 { _ = try spool.append(Sample.event(writer * 25 + number)) }
                }
            }
            try await group.waitForAll()
        }

        var spool = spool()
        let events = try spool.first(1_000)
        #expect(Set(events).count == events.count)
        #expect(Set(events) == Set((1...125).map { Sample.event($0) }))
    }

    @Test("Events that one spool finishes are finished for the other") func sharesFinishedEvents() throws {
        var app = spool()
        var appExtension = spool()
        _ = try appExtension.append(Sample.event(1))
        #expect(try app.first(10) == [Sample.event(1)])
        try app.finish([Sample.event(1)])
        _ = try appExtension.append(Sample.event(2))

        #expect(try appExtension.first(10) == [Sample.event(2)])
        #expect(try app.first(10) == [Sample.event(2)])
    }

    @Test("An event that cannot be written is an error") func reportsWriteErrors() throws {
        var first = spool()
        _ = try first.append(Sample.event(1))
        try FileManager.default.removeItem(at: folder.url)
        let error = #expect(throws: CarillonError.self) { try first.append(Sample.event(2)) }

        #expect(error?.code == .storage)
    }

    @Test(
        "The events behave like a list, whatever is done to them and wherever the app is killed",
        arguments: UInt64(1)...6
    )
    func behavesLikeAList(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var spool = spool(count: 30)
        var waiting: [Event] = []
        var known: Set<Event> = []
        for _ in 1...200 {
            switch random.next() % 5 {
            case 0, 1, 2:
                let event = Sample.event(UInt32(random.next() % 400), random.next() % 2 == 0 ? .received : .opened)
                let isNew = try spool.append(event)
                #expect(isNew == !known.contains(event))
                if isNew { waiting.append(event) }
                known.insert(event)
                waiting = waiting.suffix(30)
            case 3:
                let done = Array(waiting.prefix(Int(random.next() % 6)))
                try spool.finish(done)
                waiting.removeFirst(done.count)
            default:
                spool = self.spool(count: 30)
            }
            #expect(try spool.first(100) == waiting)
        }
    }
}
