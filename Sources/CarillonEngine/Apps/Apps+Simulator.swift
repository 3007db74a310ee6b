package import CarillonModel
package import CarillonOperatorModel
import Crypto

/// Apps that send to the simulated APNs inside the server, for trying them before there is a key of Apple's.
extension Apps {
    /// Makes an App send to the simulated APNs, with a key of the server's own; again changes nothing.
    ///
    /// - Throws: ``EngineError/conflict(_:)`` when it has another push key, ``EngineError/notFound(_:)`` when there is no
    ///   such App.
    package func useSimulator(_ id: AppID) async throws(EngineError) -> App {
        let app = try await app(id)
        if app.usesSimulator { return app }
        guard !app.hasPushKey else {
            throw .conflict("The App has a push key of Apple's, which would be lost: make another App for this.")
        }
        let key = PushKeyRequest(
            keyID: PushKey.simulatorKeyID,
            teamID: PushKey.simulatorTeamID,
            privateKey: P256.Signing.PrivateKey().pemRepresentation
        )
        return try await setPushKey(id, key)
    }
}
