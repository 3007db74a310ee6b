import CarillonOperatorModel
import Foundation

/// A password of an Operator.
package struct OperatorPassword: Hashable, Sendable, ScryptInput {
    /// The composed form (NFC): keyboards compose characters in different ways.
    let text: String

    /// Wraps what was typed; of what is longer than any password only the beginning counts.
    package init(_ text: String) {
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(1_024)))
        self.text = beginning.precomposedStringWithCanonicalMapping
    }

    package var scryptInput: [UInt8] { Array(text.utf8) }

    /// What is wrong with a new password; `nil` when nothing is.
    ///
    /// - Parameter names: Names that must not be in it: those of the Operator and of Apps. Short ones are ignored.
    /// - Returns: What the password must be.
    package func problem(names: [String]) -> String? {
        let length = text.unicodeScalars.count
        guard OperatorLimits.passwords.contains(length) else {
            let range = OperatorLimits.passwords
            return "must have \(range.lowerBound) through \(range.upperBound) characters"
        }
        let folded = Self.fold(text)
        if CommonPasswords.contain(folded) { return "must not be one of the passwords that are tried first" }
        for name in ["carillon"] + names {
            let name = Self.fold(name)
            if name.count >= Self.shortestName, folded.contains(name) {
                return "must not have the name of the service, of the App or of the person in it"
            }
        }
        return nil
    }

    private static let shortestName = 4

    private static func fold(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping.lowercased()
    }
}

/// Passwords of 15 characters and more that attackers try first.
enum CommonPasswords {
    /// Whether a password in lower case is a common one: listed, one short text again and again, or a row of keys.
    static func contain(_ text: String) -> Bool {
        listed.contains(text) || isRepetition(Array(text)) || isRow(text)
    }

    private static func isRepetition(_ text: [Character]) -> Bool {
        // Also one that is cut within the repeated part.
        (1...8).contains { length in text.indices.allSatisfy { text[$0] == text[$0 % length] } }
    }

    private static func isRow(_ text: String) -> Bool {
        rows.contains { row in
            let twice = row + row
            return twice.contains(text) || String(twice.reversed()).contains(text)
        }
    }

    /// Keys and letters in their order; also from a place within, and on from the beginning.
    private static let rows = [
        "abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "12345678901234567890", "qwertyuiopasdfghjklzxcvbnm",
        "1234567890qwertyuiop", "1234567890-=qwertyuiop", "1q2w3e4r5t6y7u8i9o0p", "qawsedrftgyhujikolp",
        "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "qazwsxedcrfvtgbyhnujmikolp", "qwertzuiopasdfghjklyxcvbnm",
        "azertyuiopqsdfghjklmwxcvbn",
    ]

    private static let listed: Set<String> = [
        "adminadminadmin", "administrator123", "administrator1234", "administratorpassword", "adminpassword123",
        "asdfghjkl123456", "asdfghjklqwertyuiop", "changemechangeme", "changeme12345678", "changeme123456789",
        "changepassword1", "changethispassword", "correct horse battery staple", "correcthorsebatterystaple",
        "defaultpassword", "defaultpassword1", "firstpassword123", "football12345678", "iloveyou12345678",
        "iloveyou123456789", "iloveyousomuch1", "ilovemyfamily123", "letmein123456789", "letmeinletmeinletmein",
        "longpassword123", "monkey123456789", "mynameispassword", "mypassword12345", "mypassword123456",
        "newpassword1234", "newpassword12345", "notapassword1234", "p@ssw0rd12345678", "p@ssw0rd123456789",
        "p@ssw0rdp@ssw0rd", "pass1234pass1234", "passw0rd12345678", "passw0rdpassw0rd", "passwordisapassword",
        "password00000000", "password1234567", "password12345678", "password123456789", "password1234567890",
        "password123password", "password123password123", "passwordpassword", "passwordpassword1",
        "passwordqwertyuiop", "princess12345678", "qwerty123456789", "qwerty1234567890", "qwertyuiop12345",
        "qwertyuiop123456", "qwertyuiop1234567890", "qwertyuiopasdfgh", "rootpassword123", "secretpassword1",
        "secretpassword123", "superadmin12345", "superman12345678", "supersecretpassword", "supersecret12345",
        "temppassword123", "temporarypassword", "testpassword123", "testpassword1234", "testtesttesttest",
        "thisisapassword", "thisismypassword", "thisismypassword1", "trustno1trustno1", "unknownpassword",
        "verylongpassword", "welcome12345678", "welcome123456789", "welcometothejungle", "whatisthepassword",
        "yourpasswordhere", "zxcvbnm123456789",
    ]
}
