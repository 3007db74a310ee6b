package import CarillonModel

/// Why the engine did not do what it was asked.
package enum EngineError: Error, Hashable, Sendable {
    /// What was not found.
    package enum Subject: String, Hashable, Sendable, CaseIterable {
        case app, device, campaign, occurrence, key, tag, user, category, audience, template
        /// An App's key for Apple's push service.
        case pushKey = "push-key"
        /// A Device's token for incoming calls.
        case voIPToken = "voip-token"
        case statisticsKey = "statistics-id"
        case webhook
        /// A message to a webhook that could be replayed.
        case webhookMessage = "webhook-message"
    }

    /// Why a caller may not do it.
    package enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The Device exists with another secret.
        case wrongDeviceSecret
        /// The App asks for a proof of the User and there is none.
        case userProofRequired
        /// The proof is not of this App, User and time.
        case wrongUserProof
        /// The proof's time ends later than in a day.
        case userProofTooLong
        /// The User has as many Devices as a User may.
        case tooManyDevicesOfUser
        /// The Device has no User whom it could be about.
        case userRequired
        /// A tag is named that the App does not have.
        case unknownTag
        /// The App does not let Users send to each other.
        case userMessagesOff
        /// The App's back end did not allow the message.
        case userMessageRefused
        /// The App gets more new Devices than it may.
        case tooManyNewDevices
    }

    case notFound(Subject)
    case refused(Refusal)
    /// A field whose value only the engine can judge.
    case invalid(FieldError)
    /// The thing is in a state that does not allow it, in words.
    case conflict(String)
    case store(StoreError)
}
