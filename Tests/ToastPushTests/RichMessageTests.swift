import Carillon
import CarillonModel
import CarillonTestKit
import FacadeSupport
import Foundation
import Testing
import UserNotifications

@testable import ToastPush

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("TOAST Push's service extension and metrics")
struct RichMessageTests {
    private static let pixel = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    )

    private var rich: TestKitPush {
        var push = TestKitPush(title: "Hello", body: "World")
        push.dialect = .toast
        push.media = Media(kind: .image, source: "https://example.com/絵.png")
        push.buttons = ["a", "b", "c"].map { TestKitPush.Button(.openApp, id: $0, title: $0.uppercased()) }
        return push
    }

    private func registered(
        _ setup: @escaping (inout TestKitPhone.Setup) -> Void = { _ in }
    ) async throws -> ToastPhone {
        let phone = try await ToastPhone(setup: { traits in
            traits.media = { _ in Self.pixel }
            setup(&traits)
        })
        #expect(await phone.register().code == nil)
        phone.phone.leaveApp()
        return phone
    }

    private func content(_ phone: ToastPhone) throws -> UNNotificationContent {
        try #require(phone.phone.system.visible.last).request.content
    }

    @Test("T-112, T-115 an empty subclass shows media, also from a URL that is not ASCII, and three buttons")
    func emptySubclass() async throws {
        let phone = try await registered()
        await phone.push(rich)
        let content = try content(phone)
        #expect(content.attachments.map(\.url.pathExtension) == ["png"])
        let category = phone.phone.system.categories.first { $0.identifier == content.categoryIdentifier }
        #expect(category?.actions.map(\.title) == ["A", "B", "C"])
    }

    @Test("T-113, T-117 without the extension title and text are shown, and no received event is reported")
    func noExtension() async throws {
        let phone = try await registered { $0.serviceExtension = nil }
        await phone.push(rich)
        let content = try content(phone)
        #expect(content.title == "Hello" && content.body == "World" && content.attachments.isEmpty)
        #expect(phone.server.events.isEmpty)
    }

    @Test("T-114 too large or missing media leaves the text", arguments: [0, 10 * 1_048_576 + 1])
    func brokenMedia(_ size: Int) async throws {
        let phone = try await registered { $0.media = { _ in size == 0 ? nil : Data(count: size) } }
        await phone.push(rich)
        let content = try content(phone)
        #expect(content.attachments.isEmpty && content.body == "World")
        #expect(phone.server.events.map(\.kind) == [.received])
    }

    @Test("T-115 a bundled file is found by its full name")
    func bundled() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".png")
        try #require(Self.pixel).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let phone = try await registered { $0.bundled = { $0 == "welcome.png" ? file : nil } }
        var push = rich
        push.media = Media(kind: .image, source: "welcome.png")
        await phone.push(push)
        #expect(try content(phone).attachments.count == 1)
    }

    @Test("T-117, T-119 received requires an app key in the extension: by code, by its own Info.plist, or not at all")
    func appKeyOfExtension() async throws {
        let byInfo = try await registered()
        await byInfo.push(rich)
        #expect(byInfo.server.events.map(\.kind) == [.received])

        let byCode = try await registered {
            $0.extensionInfo["ToastSDK"] = nil
            $0.serviceExtension = { CodedExtension() }
        }
        await byCode.push(rich)
        #expect(byCode.server.events.map(\.kind) == [.received])

        // The app's own key is not seen there.
        let without = try await registered { $0.extensionInfo["ToastSDK"] = nil }
        await without.push(rich)
        #expect(without.server.events.isEmpty)
        #expect(without.phone.notifications.map(\.title) == ["Hello"])
    }

    @Test("The later name of the App key in Info.plist is also supported") func readsTheLaterKeyName() async throws {
        let phone = try await registered {
            $0.extensionInfo["ToastSDK"] = nil
            $0.extensionInfo["NHNCloudSDK"] = ["NHNCloudPush": ["AppKey": TestKitServer.appKey]]
        }
        await phone.push(rich)
        #expect(phone.server.events.map(\.kind) == [.received])
    }

    @Test(
        "T-118 opened is reported after initialize, or with the app key in the app's Info.plist",
        arguments: [true, false]
    )
    func opened(_ isInitialized: Bool) async throws {
        let server = TestKitServer()
        let first = try await ToastPhone(server: server)
        await first.register()
        let phone = try await ToastPhone(
            server: server,
            setup: { $0.info["ToastSDK"] = ["ToastPush": ["AppKey": TestKitServer.appKey]] },
            isInitialized: isInitialized,
            launch: { app in
                guard !isInitialized else { return }
                // As the launch does on an iPhone, and any call of the facade.
                ToastPushAdapter.current.beginByInfo()
                ToastPush.setDelegate(app)
            }
        )
        phone.phone.system.permission = .authorized
        phone.phone.leaveApp()
        let shown = await phone.push(TestKitPush(title: "Hello"))
        #expect(await phone.phone.respond(.tap, to: shown))
        await phone.flush()
        #expect(server.events.contains { $0.kind == .opened })
        #expect(await phone.log.opened.map(\.title) == ["Hello"])
        if !isInitialized { #expect(await phone.register().code == 1) }
    }

    @Test("T-120 an event that could not be sent is sent later")
    func retry() async throws {
        let phone = try await registered()
        let shown = await phone.push(rich)
        phone.server.always(.error(URLError(.notConnectedToInternet)))
        await phone.phone.respond(.tap, to: shown)
        #expect(!phone.server.events.contains { $0.kind == .opened })
        phone.server.always(nil)
        await phone.flush()
        #expect(phone.server.events.contains { $0.kind == .opened })
    }
}

extension ToastPhone {
    /// Brings waiting events to the server.
    ///
    /// A call that meets the SDK's own attempt on its way, which waits, waits with it.
    func flush() async {
        let client = await phone.run { await MainActor.run { ToastPushAdapter.current.reporter } }
        for _ in 0..<10_000 {
            if await client?.flush() == 0 { return }
        }
        Issue.record("the events cannot be sent")
    }
}

/// An extension that is told its App key by code.
private final class CodedExtension: ToastPushServiceExtension {
    override init() {
        super.init()
        ToastPush.initialize(configuration: ToastPushConfiguration(appKey: TestKitServer.appKey))
    }
}
