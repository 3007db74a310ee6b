import CarillonTestKit
import CorePush
import CorePushSamples
import Foundation
import UIKit

/// The vendor's samples, one after another.
struct CoreTour {
    private let server = TestKitServer()
    private let phone: TestKitPhone

    init() throws {
        phone = try TestKitPhone(server: server) { CoreAppDelegate(configKey: TestKitServer.appKey, log: say) }
    }

    func run() async throws {
        step("The app starts, and registers")
        await phone.openApp()
        await history()
        await say("registered: \(server.deviceCount) device")

        step("A rich push comes in front, and a survey")
        var push = TestKitPush(body: "Hello", link: "https://example.com")
        push.dialect = .corePush
        await phone.receive(server.send(push))
        var survey = TestKitPush(body: "Two questions", link: "https://survey.example/q?id=1")
        survey.dialect = .corePush
        survey.isSurvey = true
        await phone.receive(server.send(survey))

        step("The rich notification's window")
        await run {
            let window = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
            let popup = CoreSamples.popup("https://example.com", over: window)
            say("popup: \(popup.titleBarText)")
            popup.hide()
        }

        step("The history: the first entry is read")
        await history()
        await run {
            let first = CoreSamples.readFirst()
            say("first: \(first.line), unread: \(first.unread)")
        }

        step("Categories, attributes, and the token is taken back")
        await run {
            CoreSamples.multiCategories()
            CoreSamples.userToUser("https://shop.example/attributes")
            CoreSamples.unregister()
        }
        await history()
        await say("on the icon: \(phone.badge)")
    }

    private func run(_ body: @escaping @MainActor @Sendable () -> Void) async {
        await phone.run { await MainActor.run { body() } }
    }

    /// Fetches the history, which waits until everything before it is done.
    private func history() async {
        await phone.run {
            await withCheckedContinuation { continuation in
                Task { @MainActor in
                    let listener = HistoryListener { continuation.resume() }
                    listener.keep = listener
                    CoreSamples.requestHistory(listener)
                }
            }
        }
    }
}

@MainActor
private final class HistoryListener: CorePushNotificationHistoryManagerDelegate {
    var keep: HistoryListener?
    private let finish: () -> Void

    init(finish: @escaping () -> Void) { self.finish = finish }

    func notificationHistoryManagerSuccess() { end() }

    func notificationHistoryManagerFail() { end() }

    private func end() {
        keep = nil
        finish()
    }
}
