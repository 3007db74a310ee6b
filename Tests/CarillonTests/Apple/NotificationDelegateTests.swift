import Carillon
import CarillonModel
import Foundation
import PhoneSimulator
import Testing
import UIKit
import UserNotifications

@Suite("Beside the app's own delegate")
struct NotificationDelegateTests {
    @Test("A tap is reported, passed to the app, and answered once") func passesTaps() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = await OwnDelegate.install(on: test.phone)
        let gestures = await Gestures.install(on: test.phone)
        await test.receive(Sample.payload(carillon: ["link": "app://article/17"]))
        #expect(await test.phone.respond(.tap, to: "c1"))
        await test.phone.flush()

        #expect(own.responses == [UNNotificationDefaultActionIdentifier])
        #expect(gestures.list.map(\.kind) == [.opened])
        #expect(gestures.list.map(\.link) == [URL(string: "app://article/17")])
        #expect(test.server.events.contains("\(Sample.occurrence()) opened"))
        #expect(test.system.complaints.isEmpty)
    }

    @Test("A delegate that answers twice counts once") func acceptsOneAnswer() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = await OwnDelegate.install(on: test.phone, answers: 2)
        await test.receive(Sample.payload())
        await test.phone.respond(.tap, to: "c1")
        await test.receive(Sample.payload(2), collapseID: "c2")
        await test.system.openApp()
        await test.receive(Sample.payload(3), collapseID: "c3")

        #expect(own.responses.count == 1 && own.presentations == 1)
        #expect(test.system.complaints.isEmpty)
    }

    @Test("The app's own settings for notifications are opened by the app's delegate") func opensSettings() async throws
    {
        let test = try TestPhone()
        try await test.phone.register()
        let own = await OwnDelegate.install(on: test.phone)
        await test.receive(Sample.payload())
        await test.system.openSettings(for: "c1")
        await test.system.openSettings()

        #expect(own.openedSettings == ["c1", nil])
    }

    @Test("A delegate that is written with async works too") func supportsAsyncDelegates() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = AsyncDelegate()
        await test.phone.inside { phone in await phone.restart(beside: own) }
        await test.receive(Sample.payload())
        await test.phone.respond(.tap, to: "c1")
        await test.system.openApp()
        let arrival = await test.receive(Sample.payload(2), collapseID: "c2")

        #expect(own.responses == 1)
        #expect(arrival.presentation == .shown)
        #expect(test.system.complaints.isEmpty)
    }

    @Test("In the foreground nothing is shown unless the app requests it") func hidesInForeground() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.system.openApp()
        let hidden = await test.receive(Sample.payload(1), collapseID: "c1")
        await MainActor.run { test.phone.app?.carillon.notificationOptions.foreground = true }
        let shown = await test.receive(Sample.payload(2), collapseID: "c2")

        #expect(hidden.presentation == .hidden && hidden.ranExtension)
        #expect(shown.presentation == .shown)
    }

    @Test("In the foreground the app's own delegate decides what is shown") func asksOwnDelegate() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = await OwnDelegate.install(on: test.phone, presentation: [.banner])
        await test.system.openApp()

        #expect(await test.receive(Sample.payload()).presentation == .shown)
        #expect(own.presentations == 1)
    }

    @Test("A dismissal in the default category is reported before the app is suspended again")
    func reportsDismissals() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.receive(Sample.payload())
        #expect(await test.phone.respond(.dismiss, to: "c1"))

        #expect(test.server.events.contains("\(Sample.occurrence()) dismissed"))
        #expect(test.system.appState == .background)
    }

    @Test("A dismissal in an app's own category that does not ask for it is not reported")
    func ignoresOtherDismissals() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        test.system.categories.insert(UNNotificationCategory(identifier: "news", actions: [], intentIdentifiers: []))
        await test.receive(Sample.payload(aps: ["category": "news"]))

        #expect(await !test.phone.respond(.dismiss, to: "c1"))
        #expect(!test.server.events.contains("\(Sample.occurrence()) dismissed"))
    }

    @Test("I-28 the text that was typed under a notification comes along")
    func reply() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let gestures = await Gestures.install(on: test.phone)
        await test.receive(Sample.payload(carillon: ["buttons": [["id": "say", "title": "Say", "kind": "reply"]]]))
        #expect(await test.phone.respond(.press(action: "say", reply: "Hello back"), to: "c1"))

        #expect(test.server.events.contains("\(Sample.occurrence()) action say"))
        #expect(gestures.list.map(\.reply) == ["Hello back"])
        #expect(test.system.appState == .background)
    }

    @Test("I-16 a button that opens the app brings it to the front and names itself")
    func foregroundAction() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let gestures = await Gestures.install(on: test.phone)
        await test.receive(
            Sample.payload(carillon: [
                "link": "app://start", "buttons": [["id": "go", "title": "Go", "kind": "openURL", "link": "app://go"]],
            ])
        )
        #expect(await test.system.respond(.press(action: "go"), to: "c1"))
        await test.phone.flush()

        #expect(test.system.appState == .foreground)
        #expect(gestures.list.map(\.link) == [URL(string: "app://go")])
        #expect(test.server.events.contains("\(Sample.occurrence()) action go"))
        #expect(!test.server.events.contains("\(Sample.occurrence()) opened"))
    }

    @Test("I-13 a category that nobody registered shows no buttons and breaks nothing")
    func unknownCategory() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let arrival = await test.receive(Sample.payload(aps: ["category": "nobody"]))

        #expect(arrival.presentation == .shown)
        #expect(test.system.firstAction(of: "c1") == nil)
        #expect(await test.phone.respond(.tap, to: "c1"))
    }

    @Test("A tap that starts the app is reported") func reportsLaunchTaps() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.receive(Sample.payload())
        await test.phone.switchOff()
        #expect(await test.phone.respond(.tap, to: "c1"))
        await test.phone.flush()

        #expect(test.server.events.contains("\(Sample.occurrence()) opened"))
        #expect(test.server.deviceMethods == ["PUT"])
    }

    @Test("A copy replaces the first notification, and received counts once") func replacesCopies() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.receive(Sample.payload())
        let again = await test.receive(Sample.payload())

        #expect(again.presentation == .replaced)
        #expect(test.system.visible.count == 1)
        #expect(test.phone.screen.shownTwice.isEmpty)
        #expect(test.phone.screen.realerted == [Sample.occurrence().description])
        #expect(test.server.events == ["\(Sample.occurrence()) received"])
    }

    @Test("Stopping makes the app's own delegate the delegate again") func restoresOwnDelegate() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = await OwnDelegate.install(on: test.phone)
        await test.phone.inside { phone in
            await MainActor.run {
                phone.app?.carillon.stop()
                #expect(UNUserNotificationCenter.current().delegate === own)
            }
        }
    }
}

@Suite("The app's delegate hooks")
struct AppHookTests {
    @Test("A delegate that another SDK sets after the start gets its calls, and the tap is reported once")
    func adoptsLaterDelegates() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let gestures = await Gestures.install(on: test.phone)
        await test.receive(Sample.payload())
        let other = OwnDelegate(answers: 1, presentation: [])
        await test.phone.inside { phone in await MainActor.run { phone.system.center.delegate = other } }
        await test.phone.respond(.tap, to: "c1")

        #expect(other.responses == [UNNotificationDefaultActionIdentifier])
        #expect(gestures.list.map(\.kind) == [.opened])
        #expect(test.system.complaints.isEmpty)
    }

    @Test(
        "A delegate that returns its calls, before its answer or after it, has each once, and so has the app's own below it",
        arguments: ReturningDelegate.Manner.allCases
    )
    func endsForwarding(_ manner: ReturningDelegate.Manner) async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = await OwnDelegate.install(on: test.phone, presentation: .banner)
        let gestures = await Gestures.install(on: test.phone)
        await test.receive(Sample.payload())
        let other = ReturningDelegate(manner)
        await test.phone.inside { phone in
            await MainActor.run {
                other.former = phone.system.center.delegate
                phone.system.center.delegate = other
            }
        }
        await test.phone.respond(.tap, to: "c1")
        await test.system.openApp()
        let arrival = await test.receive(Sample.payload(2), collapseID: "c2")
        await test.system.openSettings()

        #expect(other.calls == ["tap", "arrival", "settings"])
        #expect(own.responses.count == 1 && own.presentations == 1 && own.openedSettings.count == 1)
        #expect(gestures.list.map(\.kind) == [.opened])
        #expect(arrival.presentation == (manner == .returns ? .shown : .hidden))
        #expect(test.system.complaints.isEmpty)
    }

    @Test("Permission is requested once, and the token is registered") func asksOnce() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        try await test.phone.register(user: UserID(rawValue: "u1"))

        #expect(test.system.promptCount == 1)
        #expect(test.server.registrations.map(\.token) == [Sample.token()])
        #expect(test.server.deviceMethods == ["PUT", "PATCH"])
    }

    @Test("A phone that gets no token is registered without one") func registersWithoutToken() async throws {
        struct NoNetwork: Error {}
        let test = try TestPhone()
        test.system.token = { throw NoNetwork() }
        try await test.phone.register()

        #expect(test.server.registrations.map(\.token) == [nil])
        #expect(test.server.registrations.map(\.permission) == [.authorized])
    }

    @Test("A token that changes by itself is sent") func sendsChangedTokens() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.phone.inside { phone in
            await MainActor.run { phone.app?.carillon.didRegister(deviceToken: Data(Sample.token(9).bytes)) }
        }
        while test.server.registrations.map(\.token) != [Sample.token(9)] { await Task.yield() }

        #expect(test.server.deviceMethods == ["PUT", "PATCH"])
    }

    @Test("A permission that is revoked in Settings is sent when the app opens again", .timeLimit(.minutes(5)))
    func sendsRevokedPermissions() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        test.system.permission = .denied
        await test.system.openApp()
        while test.server.registrations.map(\.permission) != [.denied] { await Task.yield() }

        #expect(test.server.deviceMethods == ["PUT", "PATCH"])
    }

    @Test("A silent push wakes the app and is received although no extension runs")
    func receivesSilentPushes() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.phone.switchOff()
        let arrival = await test.receive(Sample.payload(alert: nil, aps: ["content-available": 1]))

        #expect(arrival.presentation == .hidden && !arrival.ranExtension)
        #expect(test.server.events == ["\(Sample.occurrence()) received"])
    }
}

/// An app's own delegate, which answers as often as it is told to.
final class OwnDelegate: NSObject, UNUserNotificationCenterDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private let answers: Int
    private let presentation: UNNotificationPresentationOptions
    private var told: [String] = []
    private var asked = 0
    private var settings: [String?] = []

    /// The notifications whose settings were opened; `nil` from the system's settings.
    var openedSettings: [String?] { lock.withLock { settings } }
    var responses: [String] { lock.withLock { told } }
    var presentations: Int { lock.withLock { asked } }

    init(answers: Int, presentation: UNNotificationPresentationOptions) {
        self.answers = answers
        self.presentation = presentation
    }

    static func install(
        on phone: SimulatedPhone,
        answers: Int = 1,
        presentation: UNNotificationPresentationOptions = []
    ) async -> OwnDelegate {
        let own = OwnDelegate(answers: answers, presentation: presentation)
        await phone.inside { phone in await phone.restart(beside: own) }
        return own
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        lock.withLock { asked += 1 }
        for _ in 0..<answers { completionHandler(presentation) }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        lock.withLock { told.append(response.actionIdentifier) }
        for _ in 0..<answers { completionHandler() }
    }

    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        lock.withLock { settings.append(notification?.request.identifier) }
    }
}

/// An app's own delegate in its other form.
final class AsyncDelegate: NSObject, UNUserNotificationCenterDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var told = 0

    var responses: Int { lock.withLock { told } }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        [.banner, .list]
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse
    ) async {
        lock.withLock { told += 1 }
    }
}

extension SimulatedPhone {
    /// Starts the SDK anew after the app has set its own delegate.
    @MainActor
    func restart(beside own: any UNUserNotificationCenterDelegate) {
        app?.carillon.stop()
        UNUserNotificationCenter.current().delegate = own
        app?.carillon.start()
    }
}

/// What the app was told of gestures.
final class Gestures: @unchecked Sendable {
    private let lock = NSLock()
    private var told: [NotificationGesture] = []

    var list: [NotificationGesture] { lock.withLock { told } }

    @MainActor
    static func install(on phone: SimulatedPhone) -> Gestures {
        let gestures = Gestures()
        phone.app?.carillon.onGesture = { gesture in gestures.lock.withLock { gestures.told.append(gesture) } }
        return gestures
    }
}

/// A delegate that another SDK has put in front of the app's, and that returns each call to it.
///
/// Unchecked: it is used on the main thread alone.
final class ReturningDelegate: NSObject, UNUserNotificationCenterDelegate, @unchecked Sendable {
    /// How it answers.
    enum Manner: CaseIterable, Sendable {
        /// It returns the call with its completion handler.
        case returns
        /// It answers, and then returns the call.
        case answersFirst
        /// It answers, and returns the call a turn later.
        case answersLongBefore
    }

    var former: (any UNUserNotificationCenterDelegate)?
    private(set) var calls: [String] = []
    private let manner: Manner

    init(_ manner: Manner) { self.manner = manner }

    private func pass(_ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body
        if manner == .answersLongBefore { Task { @MainActor in body() } } else { body() }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        calls.append("arrival")
        if manner != .returns { completionHandler([]) }
        pass { [self] in
            former?.userNotificationCenter(center, willPresent: notification) { options in
                if self.manner == .returns { completionHandler(options) }
            }
        }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        calls.append("tap")
        if manner != .returns { completionHandler() }
        pass { [self] in
            former?.userNotificationCenter(center, didReceive: response) {
                if self.manner == .returns { completionHandler() }
            }
        }
    }

    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        calls.append("settings")
        pass { [self] in former?.userNotificationCenter(center, openSettingsFor: notification) }
    }
}
