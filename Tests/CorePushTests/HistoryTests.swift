import Carillon
import CarillonModel
import CarillonTestKit
import Foundation
import Testing
import UIKit

@testable import CorePush

@Suite("CORE PUSH's and CORE RESEARCH's histories")
struct HistoryTests {
    private func phone(with pushes: [TestKitPush]) async throws -> (phone: CorePhone, told: HistoryLog) {
        let phone = try await CorePhone()
        await phone.register()
        for push in pushes { _ = phone.server.send(push) }
        let told = HistoryLog()
        await phone.run { _ in
            CorePushNotificationHistoryManager.shared.delegate = told
            CoreResearchHistoryManager.shared.delegate = told
        }
        return (phone, told)
    }

    private func survey(_ body: String, _ url: String? = "https://survey.example/q?id=1") -> TestKitPush {
        var push = TestKitPush(title: "Survey", body: body, link: url)
        push.isSurvey = true
        push.dialect = .corePush
        return push
    }

    private func bodies(_ phone: CorePhone) async -> [String] {
        await phone.run { _ in CorePushNotificationHistoryManager.shared.notificationHistoryModelArray.map(\.message) }
    }

    @Test("C-84 the fetch fills the array in the server's order and calls back once, success or failure")
    func fetch() async throws {
        let (phone, told) = try await phone(with: [TestKitPush(body: "a"), TestKitPush(body: "b")])
        await phone.doing { _ in CorePushNotificationHistoryManager.shared.requestNotificationHistory() }
        #expect(await bodies(phone) == ["b", "a"])
        #expect(await told.heard == ["success"])
        phone.server.always(.answer(TransportAnswer(status: 500)))
        await phone.doing { _ in CorePushNotificationHistoryManager.shared.requestNotificationHistory() }
        #expect(await told.heard == ["success", "fail"])
        #expect(await bodies(phone) == ["b", "a"])
    }

    @Test("C-85, C-86, C-87, C-88 reading decrements the unread count once, also across launches")
    func unread() async throws {
        let (phone, _) = try await phone(with: (0..<101).map { TestKitPush(body: "\($0)") })
        await phone.doing { _ in CorePushNotificationHistoryManager.shared.requestNotificationHistory() }
        let first = try await phone.run { _ in
            let history = CorePushNotificationHistoryManager.shared
            #expect(history.getUnreadNumber() == 100)
            let first = try #require(history.notificationHistoryModelArray.first).historyId
            #expect(history.isUnread(first))
            history.setRead(first)
            history.setRead(first)
            #expect(!history.isUnread(first))
            #expect(history.getUnreadNumber() == 99)
            return first
        }
        await phone.finishSteps()
        phone.phone.endApp()
        await phone.phone.openApp()
        await phone.doing { _ in CorePushNotificationHistoryManager.shared.requestNotificationHistory() }
        #expect(await phone.run { _ in CorePushNotificationHistoryManager.shared.getUnreadNumber() } == 99)
        #expect(await phone.run { _ in !CorePushNotificationHistoryManager.shared.isUnread(first) })
    }

    @Test("C-89 a missing url is nil in the model; the date has the vendor's format")
    func model() async throws {
        let (phone, _) = try await phone(with: [TestKitPush(body: "a")])
        await phone.doing { _ in CorePushNotificationHistoryManager.shared.requestNotificationHistory() }
        try await phone.run { _ in
            let model = try #require(CorePushNotificationHistoryManager.shared.notificationHistoryModelArray.first)
            #expect(model.url == nil && model.message == "a" && !model.historyId.isEmpty)
        }
        let time = try #require(Timestamp("2012-08-18T08:48:30Z"))
        #expect(CoreDate.text(time) == "2012-08-18 17:48:30")
    }

    @Test("R-12, R-13, R-16 the surveys' history has only surveys, with their text in body and the push's own url")
    func surveys() async throws {
        let (phone, told) = try await phone(with: [survey("s1"), TestKitPush(body: "a"), survey("s2")])
        await phone.doing { _ in CoreResearchHistoryManager.shared.requestResearchHistory() }
        try await phone.run { _ in
            let list = CoreResearchHistoryManager.shared.researchHistoryModelArray
            #expect(list.map(\.body) == ["s2", "s1"])
            let first = try #require(list.first)
            #expect(first.url == "https://survey.example/q?id=1" && first.title == "Survey")
            #expect(!first.historyId.isEmpty && first.regDate.count == 19)
        }
        #expect(await told.heard == ["research success"])
    }

    @Test("R-06, R-14 surveys of a push and of the history open the same URL: url, platform, uuid")
    func extended() async throws {
        let (phone, _) = try await phone(with: [survey("s1")])
        await phone.doing { _ in CoreResearchHistoryManager.shared.requestResearchHistory() }
        try await phone.run { manager in
            let url = try #require(CoreResearchHistoryManager.shared.researchHistoryModelArray.first?.url)
            let opened = CoreResearchHistoryManager.shared.questionnaireURL(url)
            #expect(opened == "https://survey.example/q?id=1&pf=ios&cruuid=" + manager.uuid)
        }
    }

    @Test("R-15 an entry without url opens nothing")
    func nothing() async throws {
        let phone = try await CorePhone()
        #expect(await phone.run { _ in CoreResearchHistoryManager.shared.questionnaireURL(nil) } == nil)
        #expect(await phone.run { _ in CoreResearchHistoryManager.shared.questionnaireURL("") } == nil)
    }

    @Test("R-17 a failure, or another status than 200, calls the failure callback and keeps the list")
    func failure() async throws {
        let (phone, told) = try await phone(with: [survey("s1")])
        await phone.doing { _ in CoreResearchHistoryManager.shared.requestResearchHistory() }
        phone.server.always(.answer(TransportAnswer(status: 404)))
        await phone.doing { _ in CoreResearchHistoryManager.shared.requestResearchHistory() }
        phone.server.always(.error(NSError(domain: "NSURLErrorDomain", code: -1009)))
        await phone.doing { _ in CoreResearchHistoryManager.shared.requestResearchHistory() }
        #expect(await told.heard == ["research success", "research fail", "research fail"])
        #expect(await phone.run { _ in CoreResearchHistoryManager.shared.researchHistoryModelArray.count } == 1)
    }

    @Test("R-08, R-09 uuid is never empty, the same after a restart, and another on another phone")
    func uuid() async throws {
        let phone = try await CorePhone()
        let uuid = await phone.run { $0.uuid }
        #expect(UUID(uuidString: uuid) != nil)
        #expect(await phone.run { $0.uuid } == uuid)
        phone.phone.endApp()
        await phone.phone.openApp()
        #expect(await phone.run { $0.uuid } == uuid)
        let other = try await CorePhone()
        #expect(await other.run { $0.uuid } != uuid)
    }

    @Test("R-08 uuid is available before configKey and without a server, and is the same afterwards")
    func earlyUUID() async throws {
        let early = EarlyUUIDs()
        let phone = try TestKitPhone(server: TestKitServer()) {
            EarlyApp {
                early.add(CorePushManager.shared.uuid)
                CorePushManager.shared.configKey = TestKitServer.appKey
                early.add(CorePushManager.shared.uuid)
            }
        }
        for _ in 0..<2 {
            await phone.openApp()
            phone.endApp()
        }
        #expect(early.all.count == 4 && Set(early.all).count == 1)
        #expect(UUID(uuidString: early.all.first ?? "") != nil)

        var setup = TestKitPhone.Setup()
        setup.info = [:]
        let unserved = EarlyUUIDs()
        let offline = try TestKitPhone(server: TestKitServer(), setup: setup) {
            EarlyApp {
                CorePushManager.shared.configKey = TestKitServer.appKey
                unserved.add(CorePushManager.shared.uuid)
                unserved.add(CorePushManager.shared.uuid)
            }
        }
        await offline.openApp()
        #expect(unserved.all.count == 2 && Set(unserved.all).count == 1)
        #expect(UUID(uuidString: unserved.all.first ?? "") != nil)
    }
}

/// An app that asks for its uuid as soon as it starts.
@MainActor
private final class EarlyApp: UIResponder, UIApplicationDelegate {
    private let launch: @MainActor @Sendable () -> Void

    init(launch: @escaping @MainActor @Sendable () -> Void) {
        self.launch = launch
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        launch()
        return true
    }
}

/// What `uuid` was at each call.
///
/// Unchecked: `lock` protects `list`.
private final class EarlyUUIDs: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [String] = []

    var all: [String] { lock.withLock { list } }

    func add(_ uuid: String) { lock.withLock { list.append(uuid) } }
}

@MainActor
final class HistoryLog: CorePushNotificationHistoryManagerDelegate, CoreResearchHistoryManagerDelegate {
    private(set) var heard: [String] = []

    func notificationHistoryManagerSuccess() { heard.append("success") }

    func notificationHistoryManagerFail() { heard.append("fail") }

    func researchHistoryManagerSuccess() { heard.append("research success") }

    func researchHistoryManagerFail() { heard.append("research fail") }
}
