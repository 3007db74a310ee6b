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

    @Test func linesAreSortedByTheirTokensAndNewIDsAscendWithThem() {
        let window = ImportWindow((1...200).map { line($0, token: UInt8(255 - $0)) }, isSorted: true, at: Self.now)

        #expect(window.plain.map(\.line) == (1...200).reversed())
        #expect(window.repeated.isEmpty)
        let ids = window.plain.compactMap { $0.newID?.description }
        #expect(ids.count == 200 && Set(ids).count == 200 && ids == ids.sorted())
        #expect(ids.allSatisfy { $0.hasPrefix("01a3185c-5000-7") }, "UUIDs of version 7 begin with the time")
        #expect(ids.allSatisfy { "89ab".contains($0.dropFirst(19).first!) }, "of the variant of RFC 9562")
    }

    @Test func linesThatShareATokenAUserOrADeviceKeepTheirOrder() {
        let device = DeviceID(rawValue: UUID())
        let lines = [
            line(1, token: 9, user: "a"), line(2, token: 8), line(3, token: 7, device: device),
            line(4, token: 6, user: "a"),
            line(5, token: 8), line(6, token: 5, user: "b"), line(7, token: 4, device: device),
        ]

        let window = ImportWindow(lines, isSorted: true, at: Self.now)

        #expect(window.repeated.map(\.line) == [1, 2, 3, 4, 5, 7])
        #expect(window.plain.map(\.line) == [6])
    }

    @Test func withoutIndexesTheOrderIsTheFiles() {
        let window = ImportWindow(
            [line(1, token: 9), line(2, token: 8), line(3, token: 9)],
            isSorted: false,
            at: Self.now
        )

        #expect(window.plain.map(\.line) == [1, 2, 3] && window.repeated.isEmpty)
    }

    @Test func batchesBecomeAsLargeAsTheTimeAllows() {
        var pace = BatchPace(limit: 1_000, time: .milliseconds(20))
        #expect(pace.size == 250)
        for _ in 0..<20 { pace.learn(.milliseconds(5)) }
        #expect(pace.size == 1_000)
        pace.learn(.milliseconds(18))
        #expect(pace.size == 1_000)
        pace.learn(.milliseconds(21))
        #expect(pace.size == 500)
        for _ in 0..<20 { pace.learn(.seconds(1)) }
        #expect(pace.size == 250, "Fewer Devices would not be faster where the disk is slow.")

        var unpaced = BatchPace(limit: 50_000, time: nil)
        unpaced.learn(.seconds(10))
        #expect(unpaced.size == 50_000)
    }
}
