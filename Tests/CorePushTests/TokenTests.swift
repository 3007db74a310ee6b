import Carillon
import CarillonModel
import CarillonTestKit
import Foundation
import Testing
import UserNotifications

@testable import CorePush

@Suite("CORE PUSH's tokens and settings")
struct TokenTests {
    private let token = String(repeating: "01", count: 32)

    @Test("C-65 the config key is kept and used in every request")
    func configKey() async throws {
        let phone = try await CorePhone()
        await phone.register()
        #expect(await phone.run { $0.configKey } == TestKitServer.appKey)
        #expect(!phone.server.requests.isEmpty)
        #expect(phone.server.requests.allSatisfy { $0.headers["Carillon-App-Key"] == TestKitServer.appKey })
        phone.phone.endApp()
        await phone.phone.openApp()
        #expect(await phone.run { $0.configKey } == TestKitServer.appKey)
    }

    @Test("C-66 a token has 64 lower-case hexadecimal digits without separators")
    func tokenText() async throws {
        let phone = try await CorePhone()
        await phone.doing { $0.registerDeviceToken(Data((0..<32).map { UInt8($0 * 8) })) }
        let text = try #require(await phone.run { $0.deviceToken })
        #expect(text.count == 64 && text.hasPrefix("0008101820") && text == text.lowercased())
    }

    @Test("C-67, R-25 a registration sends the token, and stores it only once the server has it")
    func register() async throws {
        let phone = try await CorePhone()
        phone.server.always(.answer(TransportAnswer(status: 500)))
        #expect(await phone.register() == ["RegisterTokenRequestFail"])
        #expect(await phone.run { $0.deviceToken } == nil)
        #expect(await !phone.run { $0.isDeviceTokenSentToServer })
        phone.server.always(nil)
        #expect(await phone.register() == ["RegisterTokenRequestSuccess"])
        #expect(await phone.run { $0.deviceToken } == token)
        #expect(await phone.run { $0.isDeviceTokenSentToServer })
        #expect(phone.server.registrations.map(\.token?.hexadecimal) == [token])
        #expect(phone.server.registrations.map(\.consent.notifications) == [true])
    }

    @Test("C-68 a registration has model and system, and no name that the person gave the phone")
    func facts() async throws {
        let phone = try await CorePhone()
        await phone.register()
        let registration = try #require(phone.server.registrations.first)
        #expect(registration.model == "iPhone15,3" && registration.osVersion == "iOS 17.4")
        let sent = phone.server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(sent.contains("iPhone15,3") && !sent.lowercased().contains("devicename"))
    }

    @Test("C-69 success and failure of registering, unregistering and attributes are posted on the main thread")
    func posted() async throws {
        let phone = try await CorePhone()
        #expect(await phone.register() == ["RegisterTokenRequestSuccess"])
        let attributes = await phone.doing {
            $0.appUserId = "u1"
            $0.registerUserAttributes(["1"], api: "https://shop.example/attributes")
        }
        #expect(attributes == ["RegisterUserAttributesRequestSuccess"])
        #expect(await phone.doing { $0.unregisterDeviceToken() } == ["UnregisterTokenRequestSuccess"])
        #expect(await phone.register() == ["RegisterTokenRequestSuccess"])
        phone.server.always(.answer(TransportAnswer(status: 500)))
        #expect(await phone.doing { $0.unregisterDeviceToken() } == ["UnregisterTokenRequestFail"])
        let failed = await phone.doing { $0.registerUserAttributes(["1"], api: "https://shop.example/attributes") }
        #expect(failed == ["RegisterUserAttributesRequestFail"])
    }

    @Test("C-69 a failure is posted with its reason, a success with none")
    func reasons() async throws {
        let phone = try await CorePhone()
        let success = await phone.posted { $0.registerForRemoteNotifications() }
        #expect(success.names == ["RegisterTokenRequestSuccess"] && success.reasons.isEmpty)
        phone.server.always(.answer(TransportAnswer(status: 500)))
        let failures = await phone.posted {
            $0.unregisterDeviceToken()
            $0.registerUserAttributes(["1"], api: "")
        }
        let codes = failures.reasons.map { ($0 as? CarillonError)?.code }
        #expect(codes == [.unavailable, nil])
        let texts = await phone.posted { $0.registerDeviceTokenString("x") }.reasons.map(\.localizedDescription)
        #expect(texts.count == 1 && texts[0].contains("hexadecimal digits"))
        #expect(failures.reasons.last?.localizedDescription.contains("not a URL") == true)
    }

    @Test("C-70 a changed token replaces the old one")
    func changed() async throws {
        let phone = try await CorePhone()
        await phone.register()
        await phone.doing { $0.registerDeviceToken(Data(repeating: 9, count: 32)) }
        #expect(phone.server.registrations.map(\.token?.hexadecimal) == [String(repeating: "09", count: 32)])
        #expect(await phone.run { $0.deviceToken } == String(repeating: "09", count: 32))
    }

    @Test("C-71, R-25 after unregistering the stored token is empty and nothing is sent any more")
    func unregister() async throws {
        let phone = try await CorePhone()
        await phone.register()
        await phone.doing { $0.unregisterDeviceToken() }
        #expect(await phone.run { $0.deviceToken } == "")
        #expect(await !phone.run { $0.isDeviceTokenSentToServer })
        #expect(phone.server.registrations.allSatisfy { $0.token == nil })
        #expect(phone.server.send(TestKitPush(title: "a")) == nil)
    }

    @Test("C-72 unregistering without a token sends nothing and succeeds")
    func unregisterNothing() async throws {
        let phone = try await CorePhone()
        #expect(await phone.doing { $0.unregisterDeviceToken() } == ["UnregisterTokenRequestSuccess"])
        #expect(phone.server.requests.isEmpty)
    }

    @Test("C-73 a call without an answer fails at exactly 30 seconds, on the main thread")
    func timeLimit() async throws {
        let time = StandingTime()
        let phone = try await CorePhone(setup: { $0.time = time })
        phone.server.next(.hold)
        async let posted = phone.register()
        await phone.server.untilHolding()
        await time.untilSleeping(for: 30)
        time.advance(29.9)
        #expect(await !phone.run { $0.isDeviceTokenSentToServer })
        #expect(time.isSleeping(for: 0.1))
        time.advance(0.1)
        // A callback elsewhere would be marked so.
        #expect(await posted == ["RegisterTokenRequestFail"])
        phone.server.release()
    }

    @Test("C-74 one dimension is a list, two are an object, which takes precedence; the default applies to none")
    func categories() async throws {
        let phone = try await CorePhone()
        await phone.register()
        #expect(phone.server.registrations.map(\.categories) == [nil])
        await phone.doing {
            $0.categoryIds = ["1", "2", "3", "4"]
            $0.registerForRemoteNotifications()
        }
        #expect(phone.server.registrations.map(\.categories) == [.list(["1", "2", "3", "4"])])
        let dimensions = ["1": ["神奈川"], "4": ["音楽", "読書"]]
        await phone.doing {
            $0.multiCategoryIds = dimensions
            $0.registerForRemoteNotifications()
        }
        #expect(phone.server.registrations.map(\.categories) == [.dimensions(dimensions)])
        await phone.doing {
            $0.multiCategoryIds = nil
            $0.categoryIds = nil
            $0.registerForRemoteNotifications()
        }
        #expect(phone.server.registrations.map { $0.categories ?? .standard } == [.standard])
    }

    @Test("C-75 appUserId is sent with the registration")
    func user() async throws {
        let phone = try await CorePhone()
        await phone.doing {
            $0.appUserId = "UserId"
            $0.registerForRemoteNotifications()
        }
        #expect(phone.server.registrations.map(\.user?.rawValue) == ["UserId"])
    }

    @Test("C-76 the device id switches are off, and switched on they send no hardware id")
    func deviceID() async throws {
        let plain = try await CorePhone()
        #expect(await plain.run { !$0.deviceIdEnabled && !$0.deviceIdHashEnabled })
        await plain.register()
        let switched = try await CorePhone()
        await switched.doing {
            $0.deviceIdEnabled = true
            $0.deviceIdHashEnabled = true
            $0.registerForRemoteNotifications()
        }
        #expect(switched.server.registrations == plain.server.registrations)
        // What names the device is random: another on each phone.
        #expect(switched.server.requests.map(\.path) != plain.server.requests.map(\.path))
    }

    @Test("C-96 attributes are sent to the given address with the user and all of them")
    func attributes() async throws {
        let phone = try await CorePhone()
        await phone.doing {
            $0.appUserId = "UserId"
            $0.registerUserAttributes(["1", "3", "7"], api: "https://shop.example/attributes")
        }
        let request = try #require(phone.server.requests.last { $0.url.host == "shop.example" })
        let body = try #require(try JSONSerialization.jsonObject(with: request.body) as? [String: Any])
        #expect(request.method == "POST" && request.path == "/attributes")
        #expect(body["appUserId"] as? String == "UserId" && body["attributes"] as? [String] == ["1", "3", "7"])
        #expect(request.headers["Carillon-App-Key"] == nil && request.headers["Carillon-Device-Secret"] == nil)
    }

    @Test("C-97 alert, badge and sound are requested, or the selected ones")
    func types() async throws {
        let phone = try await CorePhone()
        await phone.register()
        #expect(phone.phone.system.authorizationOptions == [.alert, .badge, .sound])
        await phone.doing { $0.registerForRemoteNotificationTypes([.badge, .alert]) }
        #expect(phone.phone.system.authorizationOptions == [.alert, .badge])
    }

    @Test("Both forms of shared are the same, and settings are stored across launches")
    func sharedAndStoredSettings() async throws {
        let phone = try await CorePhone()
        await phone.run { manager in
            #expect(CorePushManager.shared() === manager)
            manager.pushEnabled = true
            manager.appUserId = "u1"
        }
        phone.phone.endApp()
        await phone.phone.openApp()
        #expect(await phone.run { $0.pushEnabled && $0.appUserId == "u1" })
    }

    @Test("Without a server URL every call fails with an error") func failsWithoutAServer() async throws {
        let phone = try await CorePhone(setup: { $0.info = [:] })
        #expect(await phone.register() == ["RegisterTokenRequestFail"])
        let other = try await CorePhone(setup: { $0.info = [:] }) { _ in
            CorePushManager.shared.serverURL = TestKitServer.url
            CorePushManager.shared.configKey = nil
            CorePushManager.shared.configKey = TestKitServer.appKey
        }
        #expect(await other.register() == ["RegisterTokenRequestSuccess"])
    }
}
