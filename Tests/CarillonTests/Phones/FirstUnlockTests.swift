import Carillon
import CarillonCalls
import CarillonModel
import Foundation
import PhoneSimulator
import PushKit
import Testing
import UIKit
import UserNotifications

@Suite("Between a restart of the phone and its first unlock", .timeLimit(.minutes(5)))
struct FirstUnlockTests {
    private static let call = Sample.payload(carillon: ["link": "app://call"])

    private func phone() async throws -> TestPhone {
        let test = try TestPhone { $0.onLaunch = { app, _ in app.voIP.start() } }
        test.telephone.give(Data(Sample.token(8).bytes))
        try await test.phone.register(user: UserID(rawValue: "u-17"))
        try await test.phone.restart()
        return test
    }

    @Test("A call rings, and makes no second Device") func rings() async throws {
        let test = try await phone()
        let methods = test.server.deviceMethods
        #expect(await test.phone.receiveCall(Self.call))
        try await test.phone.inside { phone in
            let client = try await #require(phone.app).carillon.client
            let error = await #expect(throws: CarillonError.self) { try await client.setUser(nil) }
            #expect(error?.code == .storage)
        }
        #expect(test.server.deviceMethods == methods)

        try test.phone.unlockFirst()
        await test.phone.switchOff()
        await test.system.openApp()
        let registered = try await test.phone.inside { phone in
            try await phone.app?.carillon.client.lastRegistration
        }
        #expect(registered?.registration.user == UserID(rawValue: "u-17"))
        #expect(test.server.registrations.count == 1)
        #expect(test.system.complaints.isEmpty)
    }

    @Test("A notification is shown, and the id in surveys is the same afterwards") func shows() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let before = await test.phone.inside { phone in await phone.app?.carillon.client.surveyID }
        try await test.phone.restart()
        let arrival = await test.receive(Sample.payload())
        #expect(arrival.presentation == .shown && arrival.ranExtension && !arrival.extensionTimedOut)

        try test.phone.unlockFirst()
        await test.system.openApp()
        #expect(await test.phone.inside { phone in await phone.app?.carillon.client.surveyID } == before)
        #expect(before != nil)
    }
}
