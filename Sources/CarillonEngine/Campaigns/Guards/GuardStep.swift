package import CarillonOperatorModel

/// What has to be done before a Campaign of a size is sent.
///
/// A pure value.
package struct GuardStep: Hashable, Sendable {
    /// The size, as the App's guards have it.
    package enum Kind: Hashable, Sendable {
        /// A button is enough.
        case atOnce
        /// Who sends types the number of Devices.
        case typed
        /// Who sends also authenticates again, and a second person approves.
        case approval
    }

    package let kind: Kind
    /// Whether there is nobody else who could approve: it is sent without, and can be undone for twice as long.
    package let approvalIsOff: Bool
    /// Whether it corrects a Campaign that was just sent: nobody waits with it.
    package let isCorrection: Bool
    package let guards: SendGuards

    /// Works the step out.
    ///
    /// - Parameters:
    ///   - reach: How many Devices it reaches.
    ///   - guards: The App's guards.
    ///   - hasApprover: Whether somebody else could approve it.
    ///   - isCorrection: Whether it corrects a Campaign that was just sent.
    package init(reach: Int, guards: SendGuards, hasApprover: Bool, isCorrection: Bool = false) {
        self.guards = guards
        self.isCorrection = isCorrection
        kind = reach > guards.approveAbove ? .approval : reach > guards.confirmAbove ? .typed : .atOnce
        approvalIsOff = kind == .approval && !hasApprover && !isCorrection
    }

    /// For how long it can be undone, once it is confirmed or approved.
    package var hold: Duration {
        if isCorrection || kind == .atOnce { return .zero }
        return .seconds(approvalIsOff ? 2 * guards.hold : guards.hold)
    }

    /// Whether the number of Devices has to be typed.
    package var needsTyping: Bool { isCorrection || kind != .atOnce }

    /// Whether the last password or code has to be recent.
    package var needsFresh: Bool { isCorrection || kind == .approval }

    /// Whether a second person has to approve it.
    package var needsApproval: Bool { kind == .approval && !approvalIsOff && !isCorrection }

    /// Whether the rest of the hold can be skipped.
    package var mayGoNow: Bool { kind != .approval }

    /// Whether two counts are so different that a person who saw one has not agreed to the other: they differ by more than
    /// a tenth of the one that was shown, or ask for another step.
    package static func differ(_ shown: Int, _ now: Int, _ guards: SendGuards) -> Bool {
        func kind(_ reach: Int) -> Kind { GuardStep(reach: reach, guards: guards, hasApprover: true).kind }
        return isFar(shown, now) || kind(shown) != kind(now)
    }

    /// Whether two counts differ by more than a tenth of the one that was shown, whatever number a form says.
    package static func isFar(_ shown: Int, _ now: Int) -> Bool {
        let (difference, isOverflow) = now.subtractingReportingOverflow(shown)
        guard !isOverflow, shown >= 0 else { return true }
        return difference.magnitude > shown.magnitude / 10
    }

    /// Whether a text is a number, however its digits are grouped.
    ///
    /// - Parameters:
    ///   - text: What was typed or pasted, with whatever separators and spaces.
    ///   - number: The number, which is not negative.
    /// - Returns: True when the digits are those of the number.
    package static func isTyped(_ text: String?, _ number: Int) -> Bool {
        var digits = ""
        for character in text ?? "" {
            if let digit = character.wholeNumberValue, digit < 10 {
                digits += String(digit)
            } else if !character.isWhitespace, !",.'’٬_、，．".contains(character) {
                return false
            }
        }
        return digits == String(number)
    }
}
