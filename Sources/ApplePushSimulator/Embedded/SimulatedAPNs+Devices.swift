public import Foundation

extension SimulatedAPNs {
    /// Makes a device token of 32 random bytes, as an app gets one when it registers.
    ///
    /// - Parameter bundleID: The only app it is valid for; `nil` for any.
    /// - Returns: The token in hexadecimal.
    /// - Throws: ``Problem/badBundleID``.
    public func makeDeviceToken(bundleID: String? = nil) throws -> String {
        if let bundleID, !FieldSyntax.isTopic(Array(bundleID.utf8)[...]) { throw Problem.badBundleID }
        return try handle.issueTokens(topic: bundleID, environment: rules.environment.value)[0]
    }

    /// Makes a device token invalid, as when its app was deleted: 410 `Unregistered` from now on.
    ///
    /// - Parameters:
    ///   - deviceToken: The token in hexadecimal.
    ///   - date: Since when, the timestamp in the answer; `nil` for now by the simulator's clock.
    /// - Throws: ``Problem/badDeviceToken``, ``Problem/unknownDeviceToken``.
    public func unregister(_ deviceToken: String, since date: Date? = nil) throws {
        let since = date.map { SimulatedTime(milliseconds: Int64($0.timeIntervalSince1970 * 1000)) }
        try translated { () throws(SimulatorHandle.Failure) in try handle.expire(deviceToken, timestamp: since) }
    }

    /// Makes a device token valid again, as after a new installation.
    ///
    /// - Parameter deviceToken: The token in hexadecimal.
    /// - Throws: ``Problem/badDeviceToken``, ``Problem/unknownDeviceToken``.
    public func register(_ deviceToken: String) throws {
        try translated { () throws(SimulatorHandle.Failure) in try handle.register(deviceToken) }
    }

    /// Revokes ``key``: requests with its provider tokens are answered with `InvalidProviderToken` from now on.
    public func revokeKey() { handle.revokeKey(key.keyID) }

    /// Makes a client certificate for an app, as Apple's portal does.
    ///
    /// - Parameters:
    ///   - bundleID: The app.
    ///   - passphrase: Protects the PKCS#12 form.
    /// - Returns: The certificate with its key; valid in both environments.
    /// - Throws: ``Problem/badBundleID``.
    public func makeClientCertificate(bundleID: String, passphrase: String = "") throws -> Certificate {
        var order = ClientCertificateOrder(topic: bundleID)
        order.environments = Set(PushEnvironment.allCases)
        do {
            let certificate = try handle.issueClientCertificate(order, passphrase: passphrase)
            return Certificate(
                certificatePEM: certificate.certificatePEM,
                privateKeyPEM: certificate.privateKeyPEM,
                pkcs12: certificate.pkcs12
            )
        } catch {
            throw Problem.badBundleID
        }
    }

    /// A client certificate with its key.
    public struct Certificate: Sendable {
        /// The certificate in PEM.
        public let certificatePEM: String
        /// The key in PEM.
        public let privateKeyPEM: String
        /// Both as the bytes of a `.p12` file.
        public let pkcs12: [UInt8]
    }

    private func translated(_ body: () throws(SimulatorHandle.Failure) -> Void) throws {
        do {
            try body()
        } catch .malformedToken {
            throw Problem.badDeviceToken
        } catch .unknownToken {
            throw Problem.unknownDeviceToken
        }
    }
}
