import CarillonTestKit
import ToastPush
import ToastPushSamples

/// The vendor's samples, one after another.
struct ToastTour {
    private let server = TestKitServer()
    private let phone: TestKitPhone

    init() throws {
        var setup = TestKitPhone.Setup()
        // As the vendor's guide has it in the extension's Info.plist.
        setup.extensionInfo["ToastSDK"] = ["ToastPush": ["AppKey": TestKitServer.appKey]]
        setup.serviceExtension = { ToastNotificationService() }
        phone = try TestKitPhone(server: server, setup: setup) {
            ToastAppDelegate(appKey: TestKitServer.appKey, log: say)
        }
    }

    func run() async throws {
        step("Login, registration, query")
        await phone.openApp()
        await sample { samples in
            samples.logIn("u-17")
            samples.register()
            samples.query()
        }

        step("Tags")
        await sample { $0.tags() }

        step("A push comes, is tapped; another is answered")
        phone.leaveApp()
        var push = TestKitPush(title: "Hello", body: "World", link: "https://example.com")
        push.dialect = .toast
        push.buttons = [TestKitPush.Button(.reply, id: "answer", title: "Answer", hint: "Write", submit: "Send")]
        await phone.respond(.tap, to: await phone.receive(server.send(push)))
        phone.leaveApp()
        await phone.respond(.press("answer", reply: "yes"), to: await phone.receive(server.send(push)))
        await say("opened: \(phone.openedLinks.map(\.absoluteString))")

        step("Calls")
        await sample { $0.registerForCalls() }
        await phone.receiveCall(server.call(TestKitPush(title: "Mina")))
        await sample { $0.unregisterFromCalls() }

        step("Logout, and the token is taken back")
        await sample { samples in
            samples.logOut()
            samples.unregister()
        }
    }

    /// Runs some of the samples, and waits until the last has called back: they go one after another.
    private func sample(_ body: @escaping @MainActor @Sendable (ToastSamples) -> Void) async {
        await phone.run {
            await body(ToastSamples(log: say))
            await withCheckedContinuation { continuation in
                // Refused for its name before anything is sent, but only after everything before it.
                ToastPush.addUserTag(["last"]) { _, _ in continuation.resume() }
            }
        }
    }
}
