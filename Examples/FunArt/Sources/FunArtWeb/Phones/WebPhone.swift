#if os(Linux)
import CarillonTestKit
import Foundation

/// A simulated phone with the app, whose screens a browser shows.
///
/// Its pushes come from the APNs simulator.
final class WebPhone: Sendable {
    /// The app could not start.
    struct NoApp: Error {}

    private let phone: TestKitPhone
    private let receiving: Task<Void, Never>
    /// Has an element for each push that came.
    let pushes: AsyncStream<Void>

    /// Makes a phone and launches the app on it.
    ///
    /// - Parameters:
    ///   - place: The server and the APNs simulator.
    ///   - language: The phone's language, which notifications have.
    /// - Throws: When the simulator does not answer.
    init(at place: PhonePlace, language: Language = .chinese) async throws {
        var setup = TestKitPhone.Setup()
        setup.language = language.rawValue
        let phone = try await TestKitPhone(
            server: place.server,
            appKey: place.appKey,
            simulator: place.simulator,
            topic: place.topic,
            setup: setup
        ) {
            FunArtDelegate()
        }
        self.phone = phone
        let (pushes, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.pushes = pushes
        // A wait cannot be ended early: short ones let go of a phone that was switched off.
        receiving = Task { [weak phone] in
            while !Task.isCancelled, let phone {
                do {
                    try await phone.receiveNext(within: 30)
                    arrived.yield()
                } catch {
                    try? await Task.sleep(nanoseconds: 1_000_000_000)
                }
            }
        }
        await phone.openApp()
        try await withModel { await $0.start() }
    }

    /// Ends what the phone does.
    func switchOff() {
        receiving.cancel()
        phone.endApp()
    }

    /// Runs code with the running app, on the phone.
    ///
    /// - Parameter body: The code.
    /// - Returns: Its result.
    /// - Throws: What the code throws, and when the app does not run.
    func withModel<Value: Sendable>(
        _ body: @MainActor @Sendable (FunArtModel) async throws -> Value
    ) async throws -> Value {
        try await phone.withApp(FunArtDelegate.self) { delegate in
            guard let app = delegate.app else { throw NoApp() }
            return try await body(app)
        }
    }

    /// The notifications on the phone's screen, the newest first.
    var notifications: [Document.Notification] {
        phone.notifications.reversed().map { Document.Notification(id: $0.id, title: $0.title, body: $0.body) }
    }

    /// What the app did that the real system would end it for.
    var complaints: [String] { phone.complaints }

    /// The person taps a notification.
    ///
    /// - Parameter id: The notification.
    /// - Returns: The event that it leads to; `nil` when there is none.
    /// - Throws: When the app does not run.
    func open(_ id: String) async throws -> String? {
        guard await phone.respond(.tap, to: id) else { return nil }
        // The system tells the app of the tap, and the app its delegate, in steps of their own.
        for _ in 0..<100 {
            if let event = try await withModel({ $0.takeOpenedEvent() }) { return event }
            try await Task.sleep(nanoseconds: 20_000_000)
        }
        return nil
    }
}

/// Where phones send to, and where their pushes come from.
struct PhonePlace: Sendable {
    var server: URL
    var appKey: String
    /// The control API of the APNs simulator.
    var simulator: URL
    /// The App's bundle id.
    var topic: String
}

/// The phones of all browsers, by a secret that each browser has in a cookie.
actor WebPhones {
    /// The phone that was not used for the longest time makes room for a new one.
    private static let limit = 50

    private let place: PhonePlace
    private var phones: [String: WebPhone] = [:]
    /// The least recently used first.
    private var order: [String] = []

    init(at place: PhonePlace) { self.place = place }

    /// The phone of a browser that has one.
    func known(_ secret: String) -> WebPhone? {
        guard let phone = phones[secret] else { return nil }
        order.removeAll { $0 == secret }
        order.append(secret)
        return phone
    }

    /// The phone of a browser.
    ///
    /// - Parameters:
    ///   - secret: What the browser's cookie says; `nil` without one.
    ///   - language: The language of a new phone.
    /// - Returns: The phone, and the secret for the browser's cookie when it is a new one.
    /// - Throws: When a new phone cannot be made.
    func phone(_ secret: String?, language: Language) async throws -> (phone: WebPhone, newSecret: String?) {
        if let secret, let phone = known(secret) { return (phone, nil) }
        let phone = try await WebPhone(at: place, language: language)
        let new = Self.secret()
        phones[new] = phone
        order.append(new)
        while order.count > Self.limit {
            phones.removeValue(forKey: order.removeFirst())?.switchOff()
        }
        return (phone, new)
    }

    /// Switches all phones off.
    func switchOff() {
        for phone in phones.values { phone.switchOff() }
        phones = [:]
        order = []
    }

    private static func secret() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(UInt32.random(in: .min ... .max, using: &random), radix: 36) }.joined()
    }
}
#endif
