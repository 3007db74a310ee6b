import CarillonModel
import Foundation
import Testing

@testable import CarillonEngine

@Suite struct ImportWindowTests {
    private static let now = Timestamp(rawValue: 1_800_000_000_000)

    private func line(_ number: Int, token: UInt8, user: String? = nil, device: DeviceID? = nil) -> ImportedDevice {
        let token = DeviceToken(bytes: Array(repeating: token, count: 32))!
        var registration = Registration(token: token, consent: Consent(notifications: true))
        registration.user = user.flatMap(UserID.init(rawValue:))
        return ImportedDevice(line: number, device: device, token: token, registration: registration)
    }

    @Test("Lines are sorted by token, and new ids ascend with them") func sortsLines() {
        let window = ImportWindow((1...200).map { line($0, token: UInt8(255 - $0)) }, at: Self.now)

        #expect(window.plain.map(\.line) == (1...200).reversed())
        #expect(window.repeated.isEmpty)
        let ids = window.plain.compactMap { $0.newID?.description }
        #expect(ids.count == 200 && Set(ids).count == 200 && ids == ids.sorted())
        #expect(ids.allSatisfy { $0.hasPrefix("01a3185c-5000-7") }, "UUIDs of version 7 begin with the time")
        #expect(ids.allSatisfy { "89ab".contains($0.dropFirst(19).first!) }, "of the variant of RFC 9562")
    }

    @Test("Lines that share a token, a User or a Device keep their order") func keepsRepeatedLinesInOrder() {
        let device = DeviceID(rawValue: UUID())
        let lines = [
            line(1, token: 9, user: "a"), line(2, token: 8), line(3, token: 7, device: device),
            line(4, token: 6, user: "a"),
            line(5, token: 8), line(6, token: 5, user: "b"), line(7, token: 4, device: device),
        ]

        let window = ImportWindow(lines, at: Self.now)

        #expect(window.repeated.map(\.line) == [1, 2, 3, 4, 5, 7])
        #expect(window.plain.map(\.line) == [6])
    }

    @Test("Without indexes lines keep the file's order, and repeated ones wait") func keepsTheOrderWithoutIndexes() {
        var keys = ImportKeys()
        let first = ImportWindow([line(1, token: 9), line(2, token: 8), line(3, token: 9)], newTo: &keys, at: Self.now)
        let second = ImportWindow(
            [line(4, token: 8), line(5, token: 1, user: "a"), line(6, token: 2, user: "a")],
            newTo: &keys,
            at: Self.now
        )

        #expect(first.plain.map(\.line) == [1, 2] && first.repeated.map(\.line) == [3])
        #expect(second.plain.map(\.line) == [5] && second.repeated.map(\.line) == [4, 6])
    }

    @Test("Tags are sorted and unique") func sortsTags() {
        var lines = [line(1, token: 9), line(2, token: 8), line(3, token: 7)]
        (lines[0].tags, lines[2].tags) = ([5, 3, 5], [4, 3])

        let window = ImportWindow(lines, at: Self.now)

        // By token the third line is the first.
        #expect(window.tags.map { [$0.tag, $0.device.rawValue] } == [[3, 0], [3, 2], [4, 0], [5, 2]])
        let moved = window.tags.map { $0.moved(by: DeviceNumber(rawValue: 100)) }
        #expect(moved.map(\.device.rawValue) == [100, 102, 100, 102])
        #expect(moved.allSatisfy { $0.facets == lines[0].registration.facets })
    }

    @Test("Batches become as large as the time allows") func adaptsBatches() {
        var pace = BatchPace(limit: 1_000, time: .milliseconds(20))
        #expect(pace.size == 250)
        for _ in 0..<20 { pace.adapt(to: .milliseconds(5)) }
        #expect(pace.size == 1_000)
        pace.adapt(to: .milliseconds(18))
        #expect(pace.size == 1_000)
        pace.adapt(to: .milliseconds(21))
        #expect(pace.size == 500)
        for _ in 0..<20 { pace.adapt(to: .seconds(1)) }
        #expect(pace.size == 250, "Fewer Devices would not be faster where the disk is slow.")

        var unpaced = BatchPace(limit: 50_000, time: nil)
        unpaced.adapt(to: .seconds(10))
        #expect(unpaced.size == 50_000)
    }
}
