package import CarillonModel

/// Why a request to the engine failed.
package enum EngineError: Error, Hashable, Sendable {
    /// What was not found.
    package enum Subject: String, Hashable, Sendable, CaseIterable {
        case app, device, campaign, occurrence, key, tag, user, category, audience, template
        /// An App's push key.
        case pushKey = "push-key"
        /// A Device's VoIP token.
        case voIPToken = "voip-token"
        case statisticsKey = "statistics-id"
        case contentSet = "content-set"
        case contentRow = "content-row"
        case contentSource = "content-source"
        case contentFollow = "content-follow"
        case contentAlert = "content-alert"
        case contentAttachment = "content-attachment"
        case webhook
        /// A message to a webhook that could be redelivered.
        case webhookMessage = "webhook-message"
        /// A vendor API that the App has not turned on.
        case vendorAPI = "vendor-api"
        /// A User's account.
        case account
        case `operator`
        case operatorSession = "operator-session"
        case node
        case operatorPasskey = "operator-passkey"
        case operatorIdentity = "operator-identity"
        /// A Device that gets test messages.
        case testDevice = "test-device"
        /// A code that makes a Device a test Device.
        case testPairing = "test-pairing"
    }

    /// Why a caller is refused.
    package enum Refusal: Hashable, Sendable {
        /// The Device has another secret.
        case wrongDeviceSecret
        /// The App requires a proof of the User and there is none.
        case userProofRequired
        /// The proof is not valid for this App, User and time.
        case wrongUserProof
        /// The proof is valid for more than a day.
        case userProofTooLong
        /// The User has the maximum number of Devices.
        case tooManyDevicesOfUser
        /// The request concerns a User, and the Device has none.
        case userRequired
        /// The request names a tag that the App does not have.
        case unknownTag(TagID)
        /// The App does not allow messages between Users.
        case userMessagesOff
        /// The App's back end refused the message.
        case userMessageRefused
        /// The App has too many new Devices.
        case tooManyNewDevices
        /// Who wrote a part of a Campaign, or asked for its approval, does not approve it.
        case ownApproval
        /// A Campaign reaches more Devices than its API key may.
        case tooManyRecipients(RecipientsRefusal)
    }

    case notFound(Subject)
    case refused(Refusal)
    /// A request about an account is refused.
    case account(AccountRefusal)
    /// A request of an Operator, or about one, is refused.
    case operators(OperatorRefusal)
    /// A field whose value only the engine can check.
    case invalid(FieldError)
    /// Several such fields, the most severe first.
    case invalidFields([FieldError])
    /// The state of the object does not allow it; the text says why.
    case conflict(String)
    case store(StoreError)

    /// The errors of fields; empty when it is about none.
    package var fieldErrors: [FieldError] {
        switch self {
        case .invalid(let error): [error]
        case .invalidFields(let errors): errors
        case .notFound, .refused, .account, .operators, .conflict, .store: []
        }
    }

    /// The error about fields, of which there is at least one.
    static func problems(_ errors: [FieldError]) -> EngineError {
        errors.count == 1 ? .invalid(errors[0]) : .invalidFields(errors)
    }
}
