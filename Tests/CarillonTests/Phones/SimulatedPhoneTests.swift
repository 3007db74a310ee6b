import Carillon
import CarillonModel
import Foundation
import PhoneSimulator
import Testing
import UserNotifications

@Suite("A simulated phone with the real SDK")
struct SimulatedPhoneTests {
    @Test("A registration, a received push and a tap each count once") func countsEachOnce() async throws {
        let test = try TestPhone()

        let registered = try await test.phone.register(user: UserID(rawValue: "u1"))
        let arrival = await test.receive(Sample.payload())
        let isTold = await test.phone.respond(.tap, to: "c1")
        await test.phone.flush()

        #expect(registered.registration.token == Sample.token())
        #expect(test.server.registrations.map(\.user) == [UserID(rawValue: "u1")])
        #expect(test.server.registrations.map(\.permission) == [.authorized])
        #expect(test.server.registrations.map(\.language) == ["ja-JP"])
        #expect(arrival.presentation == .shown)
        #expect(arrival.ranExtension)
        #expect(isTold)
        #expect(test.server.events == ["\(Sample.occurrence()) received", "\(Sample.occurrence()) opened"])
        #expect(test.system.visible.isEmpty)
        #expect(test.system.complaints.isEmpty)
    }
}
