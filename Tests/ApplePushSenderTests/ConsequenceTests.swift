import ApplePush
import ApplePushConnection
import CarillonEngine
import CarillonModel
import Foundation
import Testing

@testable import ApplePushSender

@Suite struct ConsequenceTests {
    @Test("C-59, C-60 exactly the refusals that drop or quarantine a token concern the token")
    func blame() {
        for reason in RejectionReason.documented + [RejectionReason(rawValue: "Novel"), .unstated] {
            let kind = Self.kind(Consequence(Rejection(reason, status: 400)))
            let concernsToken = FailureReason(rawValue: reason.rawValue).concernsToken
            #expect(concernsToken == ["drop token", "quarantine"].contains(kind), "\(reason.rawValue)")
        }
    }

    @Test("P-38 P-39 every documented reason has its consequence, and a final refusal is never retried")
    func everyDocumentedReasonHasItsConsequence() {
        let kinds = Dictionary(grouping: RejectionReason.documented) {
            Self.kind(Consequence(Rejection($0, status: 400)))
        }

        #expect(Set(kinds["drop token"] ?? []) == [.unregistered, .expiredToken])
        #expect(Set(kinds["quarantine"] ?? []) == [.badDeviceToken, .deviceTokenNotForTopic])
        #expect(
            Set(kinds["retry"] ?? []) == [
                .expiredProviderToken, .idleTimeout, .shutdown, .internalServerError, .serviceUnavailable,
                .tooManyRequests, .tooManyProviderTokenUpdates,
            ]
        )
        #expect(
            Set(kinds["halt"] ?? []) == [
                .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden,
                .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken,
            ]
        )
        #expect(kinds["drop message"]?.count == 11)
    }

    @Test(
        "An unknown reason has the consequence of its status",
        arguments: [
            (400, "drop message"), (403, "halt"), (404, "drop message"), (410, "drop token"), (429, "retry"),
            (500, "retry"), (503, "retry"),
        ]
    )
    func usesTheStatus(status: Int, kind: String) {
        let rejection = Rejection(RejectionReason(rawValue: "SomethingNew"), status: status)

        #expect(Self.kind(Consequence(rejection)) == kind)
    }

    @Test("An invalid token has Apple's timestamp") func keepsTheTimestamp() {
        let since = Date(timeIntervalSince1970: 1_700_000_000.123)

        let consequence = Consequence(.rejected(Rejection(.unregistered, status: 410, tokenInvalidSince: since)))

        #expect(
            consequence
                == .dropDeviceToken(
                    FailureReason(rawValue: "Unregistered"),
                    since: Timestamp(rawValue: 1_700_000_000_123)
                )
        )
    }

    @Test("A notification without an answer is retried") func retriesUnanswered() {
        #expect(Consequence(.notSent(.goAway)) == .retryLater(.notSent, after: nil))
        #expect(Consequence(.unknown(.connectionLost)) == .retryLater(.noAnswer, after: nil))
    }

    @Test("A refusal without a reason is named by its status") func namesRefusalsByStatus() {
        #expect(
            Consequence(Rejection(.unstated, status: 503))
                == .retryLater(FailureReason(rawValue: "Status503"), after: nil)
        )
    }

    private static func kind(_ consequence: Consequence) -> String {
        switch consequence {
        case .accepted: "accepted"
        case .dropDeviceToken: "drop token"
        case .quarantineDeviceToken: "quarantine"
        case .dropMessage: "drop message"
        case .retryLater: "retry"
        case .halt: "halt"
        }
    }
}
