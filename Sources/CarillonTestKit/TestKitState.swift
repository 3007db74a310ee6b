import Carillon
import CarillonModel
import Foundation

extension TestKitServer {
    struct State {
        var devices: [DeviceID: TestKitDevice] = [:]
        var tags: [UserID: Set<TagID>] = [:]
        var attributes: [UserID: [String: JSONValue]] = [:]
        var knownTags: Set<TagID>?
        var adRuleApplies = true
        var allowsUserMessages = false
        var accounts = TestKitAccounts()
        var content = TestKitContent()
        var messages: [TestKitMessage] = []
        /// What was read, by the number of the Device.
        var reads: [Int: Set<OccurrenceID>] = [:]
        var receipts: [OccurrenceID: Receipt] = [:]
        var events: [Event] = []
        var userMessages: [UserMessage] = []
        var requests: [Request] = []
        var faults: [Fault] = []
        var always: Fault?
        /// The only method that ``always`` is for; missing: all.
        var alwaysTo: String?
        var held: [OneShot<Void>] = []
        var heldWaiters: [OneShot<Void>] = []
        var sent: UInt32 = 0
        private var numbers = 0

        mutating func nextNumber() -> Int {
            numbers += 1
            return numbers
        }
    }
}

/// A message in inboxes.
struct TestKitMessage: Sendable {
    var message: InboxMessage
    /// The numbers of the Devices that it was sent to.
    var readers: Set<Int>
}

/// One Device, as the server knows it.
struct TestKitDevice: Sendable {
    /// A VoIP token, and when it was registered.
    struct VoIP: Sendable {
        var registration: VoIPRegistration
        var registeredAt: Timestamp
    }

    var secret: String
    var registration: Registration
    var consentTimes: ConsentTimes
    /// What its messages are kept by.
    ///
    /// Coming to a User a Device keeps its number, leaving one it gets another.
    var number: Int
    /// Its earlier numbers, by the User it left.
    var former: [UserID: Set<Int>] = [:]
    var voIP: VoIP?
    let createdAt: Timestamp
    var registeredAt: Timestamp

    init(secret: String, registration: Registration, number: Int, at now: Timestamp) {
        self.secret = secret
        self.registration = registration
        self.number = number
        createdAt = now
        registeredAt = now
        consentTimes = ConsentTimes()
        stamp(after: Consent(notifications: false), at: now)
    }

    /// The numbers whose messages are in its inbox.
    var inbox: Set<Int> {
        var numbers: Set = [number]
        if let user = registration.user { numbers.formUnion(former[user] ?? []) }
        return numbers
    }

    /// Takes over a registration.
    mutating func apply(_ new: Registration, number next: () -> Int, at now: Timestamp) {
        let old = registration
        registration = new
        // A proof is checked, not kept.
        registration.userProof = nil
        if let left = old.user, left != new.user {
            former[left, default: []].insert(number)
            number = next()
        }
        stamp(after: old.consent, at: now)
    }

    /// Notes since when the person consents.
    private mutating func stamp(after old: Consent, at now: Timestamp) {
        func time(_ flag: KeyPath<Consent, Bool>, _ since: KeyPath<ConsentTimes, Timestamp?>) -> Timestamp? {
            guard registration.consent[keyPath: flag] else { return nil }
            return old[keyPath: flag] ? consentTimes[keyPath: since] ?? now : now
        }
        consentTimes = ConsentTimes(
            notifications: time(\.notifications, \.notifications),
            ads: time(\.ads, \.ads),
            nightAds: time(\.nightAds, \.nightAds)
        )
    }
}
