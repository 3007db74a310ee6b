/// What COIMOTION's SDKs send in place of a password.
enum SaltedPassword {
    /// The transformed password.
    ///
    /// It is the same for the same account each time, so that it is as good as the password: it is sent over TLS alone, and
    /// never logged.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - account: The account's name.
    /// - Returns: 40 lower-case hexadecimal digits.
    static func transform(_ password: String, account: String) -> String {
        SHA1.hexadecimal(SHA1.hexadecimal(account) + password)
    }
}
