import Carillon
import CarillonModel
import CarillonTestKit
import Foundation
import Testing
import UserNotifications

@testable import ToastPush
@testable import ToastVoIP

@Suite("TOAST Push's calls")
struct CallTests {
    private func register(_ phone: ToastPhone) async -> Outcome<ToastPushTokenInfo> {
        await phone.call { ToastVoIP.register(completion: $0) }
    }

    private func query(_ phone: ToastPhone) async -> Outcome<ToastPushTokenInfo> {
        await phone.call { ToastVoIP.queryTokenInfo(completion: $0) }
    }

    @Test("T-126 registering for calls requires neither permission nor agreement, but initialize, else 1")
    func register() async throws {
        let phone = try await ToastPhone(setup: { $0.allowsNotifications = false })
        let info = try #require(await register(phone).value)
        #expect(info.deviceToken == String(repeating: "02", count: 32) && info.pushType == .voIP)
        #expect(phone.phone.system.promptCount == 0)
        #expect(phone.server.callTokens.map(\.token.hexadecimal) == [info.deviceToken])
        let before = try await ToastPhone(isInitialized: false)
        let outcome = await register(before)
        #expect(outcome.code == 1 && outcome.domain == ToastPushErrorDomain)
    }

    @Test(
        "T-127 a call reaches the delegate, also in an app that was killed, and is reported once",
        arguments: [false, true],
        [false, true]
    )
    func call(_ isKilled: Bool, reportsCalls: Bool) async throws {
        let phone = try await ToastPhone(launch: { _ in ToastVoIP.reportsCalls = reportsCalls })
        _ = await register(phone)
        if isKilled { phone.phone.endApp() }
        let payload = phone.server.call(TestKitPush(title: "Mina"))
        #expect(await phone.phone.receiveCall(payload))
        #expect(await phone.log.calls.map(\.title) == ["Mina"])
        #expect(phone.phone.calls == ["Mina"])
        #expect(phone.phone.complaints.isEmpty)
    }

    @Test("T-127 a copy of a call's push does not ring again")
    func copy() async throws {
        let phone = try await ToastPhone()
        _ = await register(phone)
        let payload = phone.server.call(TestKitPush(title: "Mina"))
        #expect(await phone.phone.receiveCall(payload))
        #expect(await phone.phone.receiveCall(payload))
        #expect(await phone.log.calls.count == 1)
        // The second is one of nobody, which ends at once.
        #expect(phone.phone.calls == ["Mina", ""])
    }

    @Test("T-128 VoIP tokens and device tokens are independent")
    func apart() async throws {
        let phone = try await ToastPhone()
        await phone.register()
        #expect(await query(phone).code == 5)
        _ = await register(phone)
        let info = try #require(await query(phone).value)
        #expect(info.deviceToken == String(repeating: "02", count: 32))
        await phone.unregister()
        #expect(phone.server.registrations.allSatisfy { $0.token == nil })
        #expect(phone.server.callTokens.count == 1)
        #expect(await query(phone).code == nil)
        await phone.register()
        let gone: Outcome<String> = await phone.call { ToastVoIP.unregister(completion: $0) }
        #expect(gone.value == info.deviceToken)
        #expect(phone.server.callTokens.isEmpty)
        #expect(phone.server.registrations.allSatisfy { $0.token != nil })
        let again: Outcome<String> = await phone.call { ToastVoIP.unregister(completion: $0) }
        #expect(again.value == nil && again.code == nil)
    }
}
