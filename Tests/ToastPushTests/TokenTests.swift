import Carillon
import CarillonModel
import CarillonTestKit
import FacadeSupport
import Foundation
import Testing
import UIKit
import UserNotifications

@testable import ToastPush
@testable import ToastVoIP

@Suite("TOAST Push's tokens and users")
struct TokenTests {
    @Test("T-81 before initialize, registration and query fail with 1")
    func notInitialized() async throws {
        let phone = try await ToastPhone(isInitialized: false)
        #expect(await phone.register().code == 1)
        let query = await phone.query()
        #expect(query.domain == ToastPushErrorDomain && query.code == 1)
        #expect(phone.server.requests.isEmpty)
    }

    @Test("T-82 without a user id the device's own id is registered")
    func deviceAsUser() async throws {
        let phone = try await ToastPhone()
        let info = try #require(await phone.register().value)
        let deviceID = await phone.phone.run { ToastPush.deviceID() }
        #expect(info.userID == deviceID)
        #expect(phone.server.registrations.map(\.user?.rawValue) == [deviceID])
        #expect(UUID(uuidString: deviceID) != nil)
    }

    @Test("T-83 setUserID registers again automatically, each time it changes")
    func userChanges() async throws {
        let phone = try await ToastPhone()
        await phone.register()
        await phone.setUser("x")
        #expect(phone.server.registrations.map(\.user?.rawValue) == ["x"])
        await phone.setUser("y")
        #expect(phone.server.registrations.map(\.user?.rawValue) == ["y"])
        #expect(phone.server.registrations.allSatisfy { $0.token != nil })
    }

    @Test("T-84 logging out deletes nothing: the token stays, for nobody")
    func logout() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("x")
        await phone.register()
        await phone.setUser(nil)

        #expect(!phone.server.requests.contains { $0.method == "DELETE" })
        #expect(phone.server.registrations.allSatisfy { $0.token != nil && $0.user?.rawValue != "x" })
        #expect(await phone.query().code == nil)
    }

    @Test("T-85 all products see the same user id")
    func sharedUser() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("x")
        #expect(await phone.phone.run { ToastSDK.userID() } == "x")
        let info = try #require(await phone.register().value)
        let call: Outcome<ToastPushTokenInfo> = await phone.call { ToastVoIP.register(completion: $0) }
        #expect(info.userID == "x")
        #expect(call.value?.userID == "x")
        let tags: Outcome<Set<String>> = await phone.call { ToastPush.addUserTag(["abcd1234"], completion: $0) }
        #expect(tags.code == nil)
        // What the server knows: one Device, the person's, with both tokens; and the tag is the person's.
        #expect(phone.server.deviceCount == 1 && phone.server.callTokens.count == 1)
        #expect(phone.server.registrations.map(\.user?.rawValue) == ["x"])
        #expect(phone.server.tags(of: "x") == ["abcd1234"])
        await phone.setUser("y")
        #expect(phone.server.registrations.map(\.user?.rawValue) == ["y"])
        #expect(phone.server.deviceCount == 1 && phone.server.callTokens.count == 1)
    }

    @Test("T-86 the first registration requests permission; denied, it fails with 3 and nothing is sent")
    func denied() async throws {
        let phone = try await ToastPhone(setup: { $0.allowsNotifications = false })
        let outcome = await phone.register()
        #expect(outcome.code == 3 && outcome.domain == ToastPushErrorDomain)
        #expect(phone.phone.system.promptCount == 1)
        #expect(phone.server.registrations.isEmpty)
        #expect(phone.server.requests.isEmpty)
    }

    @Test("T-87 alwaysAllowTokenRegistration registers although denied")
    func always() async throws {
        let phone = try await ToastPhone(
            setup: { $0.allowsNotifications = false },
            configure: { $0.alwaysAllowTokenRegistration = true }
        )
        let info = try #require(await phone.register().value)
        #expect(info.deviceToken == String(repeating: "01", count: 32))
        #expect(phone.server.registrations.count == 1)
    }

    @Test("T-88 sandbox selects the push type of both tokens", arguments: [true, false])
    func sandbox(_ isSandbox: Bool) async throws {
        let phone = try await ToastPhone(configure: { $0.sandbox = isSandbox })
        let info = try #require(await phone.register().value)
        let call: Outcome<ToastPushTokenInfo> = await phone.call { ToastVoIP.register(completion: $0) }
        #expect(phone.server.registrations.map(\.pushType) == [isSandbox ? .apnsSandbox : .apns])
        #expect(phone.server.callTokens.map(\.pushType) == [isSandbox ? .apnsVoIPSandbox : .apnsVoIP])
        #expect(info.isSandbox == isSandbox && call.value?.isSandbox == isSandbox)
        #expect(info.pushType == .APNS && call.value?.pushType == .voIP)
    }

    @Test("T-89 registration sends three flags, and without an agreement the stored ones")
    func agreement() async throws {
        let phone = try await ToastPhone()
        await phone.register(nil)
        #expect(phone.server.registrations.map(\.consent) == [Consent(notifications: false)])
        let consent = Consent(notifications: true, ads: true, nightAds: false)
        await phone.register(consent)
        #expect(phone.server.registrations.map(\.consent) == [consent])
        phone.phone.endApp()
        await phone.phone.openApp()
        let info = try #require(await phone.register(nil).value)
        #expect(phone.server.registrations.map(\.consent) == [consent])
        #expect(info.allowNotifications && info.allowAdvertisements && !info.allowNightAdvertisements)
        #expect(info.agreement.allowAdvertisements)
    }

    @Test("T-90 a registration has country, language, zone and device, and a changed token moves the record")
    func facts() async throws {
        let phone = try await ToastPhone()
        await phone.register()
        let registration = try #require(phone.server.registrations.first)
        #expect(registration.country == "JP" && registration.language == "ja-JP")
        #expect(registration.timeZone == "Asia/Tokyo")
        await phone.phone.run {
            await MainActor.run { ToastPush.didRegister(deviceToken: Data(repeating: 9, count: 32)) }
        }
        phone.phone.system.token = { Data(repeating: 9, count: 32) }
        #expect(await phone.register().value?.deviceToken == String(repeating: "09", count: 32))
        // One Device has one token: the old one is named by the Device itself.
        #expect(phone.server.registrations.map(\.token?.hexadecimal) == [String(repeating: "09", count: 32)])
    }

    @Test("T-91 the configuration overrides the device: a zone wins, otherwise the country's main zone")
    func overrides() async throws {
        let phone = try await ToastPhone(configure: {
            $0.countryCode = "KR"
            $0.languageCode = "ko"
            $0.serviceZone = .beta
        })
        let info = try #require(await phone.register().value)
        #expect(info.countryCode == "KR" && info.languageCode == "ko" && info.timezone == "Asia/Seoul")
        let told = try #require(phone.server.registrations.first)
        #expect(told.country == "KR" && told.language == "ko" && told.timeZone == "Asia/Seoul")
        let other = try await ToastPhone(configure: {
            $0.countryCode = "KR"
            $0.timezone = "Europe/Paris"
        })
        #expect(await other.register().value?.timezone == "Europe/Paris")
        #expect(other.server.registrations.map(\.timeZone) == ["Europe/Paris"])
    }

    @Test("T-91 serviceZone is stored, and affects neither requests nor their address")
    func serviceZone() async throws {
        var told: [[String]] = []
        for zone in [ToastServiceZone.real, .alpha, .beta] {
            let phone = try await ToastPhone(configure: { $0.serviceZone = zone })
            await phone.setUser("u1")
            await phone.register()
            #expect(phone.server.requests.allSatisfy { $0.url.host == TestKitServer.url.host })
            #expect(phone.server.registrations.count == 1)
            let words = try phone.server.registrations.map { registration in
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return String(decoding: try encoder.encode(registration), as: UTF8.self)
            }
            told.append(words)
        }
        #expect(Set(told).count == 1)
        let configuration = ToastPushConfiguration(appKey: "k")
        configuration.serviceZone = .beta
        #expect((configuration.copy() as? ToastPushConfiguration)?.serviceZone == .beta)
    }

    @Test("T-92 success returns token and agreement, on the main thread")
    func success() async throws {
        let phone = try await ToastPhone()
        let outcome = await phone.register(Consent(notifications: true, ads: true, nightAds: true))
        let info = try #require(outcome.value)
        #expect(outcome.isOnMain)
        #expect(info.deviceToken == String(repeating: "01", count: 32))
        #expect(info.allowNotifications && info.allowAdvertisements && info.allowNightAdvertisements)
        #expect(info.updateDateTime.count == "2026-11-21T21:00:00.000+09:00".count)
    }

    @Test("T-93 a second registration while one runs fails with 6")
    func twice() async throws {
        let phone = try await ToastPhone()
        phone.server.next(.hold)
        async let first = phone.register()
        await phone.server.untilHolding()
        let second = await phone.register()
        phone.server.release()
        #expect(second.code == 6 && second.domain == ToastPushErrorDomain)
        #expect(await first.code == nil)
        #expect(await phone.register().code == nil)
    }

    @Test("T-94 the query returns the last registration, not a later failure")
    func query() async throws {
        let phone = try await ToastPhone()
        await phone.register(Consent(notifications: true, ads: true))
        // To changes alone, and for good: whatever failed is tried again by itself.
        phone.server.always(.answer(TransportAnswer(status: 500)), to: "PATCH")
        #expect(await phone.register(Consent(notifications: true)).code == 101)
        let info = try #require(await phone.query().value)
        #expect(info.deviceToken == String(repeating: "01", count: 32))
        #expect(info.allowNotifications && info.allowAdvertisements)
    }

    @Test("T-95 with nothing registered the query fails with 5, also after unregistering")
    func queryNothing() async throws {
        let phone = try await ToastPhone()
        #expect(await phone.query().code == 5)
        #expect(phone.server.requests.isEmpty)
        await phone.register()
        await phone.unregister()
        let outcome = await phone.query()
        #expect(outcome.code == 5 && outcome.domain == ToastPushErrorDomain)
    }

    @Test("T-96 unregistering deletes on the server, returns the token and does not change the permission")
    func unregister() async throws {
        let phone = try await ToastPhone()
        await phone.register()
        let outcome = await phone.unregister()
        #expect(outcome.value == String(repeating: "01", count: 32) && outcome.code == nil)
        #expect(phone.server.registrations.allSatisfy { $0.token == nil })
        #expect(phone.server.requests.contains { $0.method == "DELETE" })
        #expect(phone.phone.system.permission == .authorized)
    }

    @Test("T-97 unregistering with nothing stored calls back without an error")
    func unregisterNothing() async throws {
        let phone = try await ToastPhone()
        let outcome = await phone.unregister()
        #expect(outcome.value == nil && outcome.code == nil && outcome.isOnMain)
        #expect(phone.server.requests.isEmpty)
    }

    @Test("T-98 after unregistering the device gets nothing, after registering again it does")
    func silence() async throws {
        let phone = try await ToastPhone()
        await phone.register()
        await phone.unregister()
        #expect(phone.server.send(TestKitPush(title: "a")) == nil)
        await phone.register()
        #expect(await phone.push(TestKitPush(title: "b")) == nil)  // in front nothing is shown
        #expect(await phone.log.received(1).map(\.title) == ["b"])
    }

    @Test("T-99 tokenInfo reports the consent, whatever the language")
    func givenFlags() async throws {
        let phone = try await ToastPhone(configure: { $0.languageCode = "en" })
        let info = try #require(await phone.register(Consent(notifications: true)).value)
        #expect(!info.allowAdvertisements && !info.allowNightAdvertisements)
    }

    @Test("T-99 tokenInfo reports consent to ads where the App's rule for ads does not cover the phone")
    func uncoveredFlags() async throws {
        let phone = try await ToastPhone(configure: { $0.languageCode = "en" })
        phone.server.adRuleApplies = false
        await phone.register(Consent(notifications: false))
        let told = try #require(await phone.query().value)
        #expect(told.allowAdvertisements && told.allowNightAdvertisements && !told.allowNotifications)
        #expect(phone.server.registrations.map(\.consent) == [Consent(notifications: false)])
    }

    @Test("T-101 optional completions may be nil")
    func nilCompletions() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("x")
        await phone.phone.run {
            ToastPush.register(agreement: ToastPushAgreement(allowNotifications: true), completion: nil)
        }
        await phone.finishSteps()
        #expect(phone.server.registrations.count == 1)
        await phone.phone.run {
            ToastPush.register(completion: nil)
            ToastPush.addUserTag(["abcd1234"], completion: nil)
            ToastPush.setUserTag(nil, completion: nil)
            ToastPush.removeUserTag(["abcd1234"], completion: nil)
            ToastPush.removeAllUserTag(completion: nil)
            ToastPush.unregister(completion: nil)
            ToastVoIP.register(completion: nil)
            ToastVoIP.unregister(completion: nil)
        }
        await phone.finishSteps()
        #expect(phone.server.registrations.allSatisfy { $0.token == nil })
    }
}
