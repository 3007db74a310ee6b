import CarillonBytes
import Crypto

/// A password as it arrives.
package enum AccountPassword: Hashable, Sendable {
    /// As the person typed it.
    case plain(String)
    /// As a vendor's app sends it, salted with the account's name.
    case salted(SaltedPassword)

    /// The form that is hashed for the store, the same for both.
    ///
    /// - Parameter name: The account's stored name: a person who signs in with another case of it is the same one.
    /// - Returns: The salted password.
    func salted(with name: AccountName) -> SaltedPassword {
        switch self {
        case .plain(let text): SaltedPassword(text, name: name.text)
        case .salted(let password): password
        }
    }
}

/// A password as a vendor's app sends it: `SHA1(SHA1(name) + password)` in lower-case hexadecimal.
///
/// It is as good as the password for whoever has it, so that it is hashed again for the store.
package struct SaltedPassword: Hashable, Sendable {
    /// 40 hexadecimal digits in lower case.
    package let text: String

    /// Wraps what arrives; `nil` unless it has 40 hexadecimal digits.
    ///
    /// Upper case counts as lower case.
    package init?(text: String) {
        let bytes = text.utf8
        guard bytes.count == 40, let digest = Hexadecimal.decode(bytes), digest.count == 20 else { return nil }
        self.text = Hexadecimal.encode(digest)
    }

    /// Salts a password, as the vendor's app does.
    ///
    /// - Parameters:
    ///   - password: The password as it was typed; its UTF-8 bytes count, unchanged.
    ///   - name: The account's name; its UTF-8 bytes count, unchanged.
    package init(_ password: String, name: String) {
        let salt = Self.digest(Array(name.utf8))
        text = Self.digest(Array(salt.utf8) + Array(password.utf8))
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        Hexadecimal.encode(Array(Insecure.SHA1.hash(data: bytes)))
    }
}

extension SaltedPassword: ScryptInput {
    package var scryptInput: [UInt8] { Array(text.utf8) }
}

extension RandomBytes {
    /// A password of 16 letters and digits without those that look alike: 93 bits.
    func password() -> String {
        let letters = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz".utf8)
        let bound = 256 / letters.count * letters.count
        var text: [UInt8] = []
        while text.count < 16 {
            for byte in self(32) where Int(byte) < bound && text.count < 16 {
                text.append(letters[Int(byte) % letters.count])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
