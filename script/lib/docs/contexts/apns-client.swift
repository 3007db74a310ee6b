import ApplePush
import ApplePushConnection
import Foundation
import NIOCore
import NIOPosix

func example(
    client: APNsClient, pool: ConnectionPool, pem: String, passphrase: String, message: AlertMessage, app: BundleID,
    deviceToken: String, device: APNsDeviceToken, devices: [APNsDeviceToken], request: PushRequest, token: ProviderToken,
    channel: ChannelID, update: LiveActivityUpdate
) async throws {
    struct Score: Encodable {
        var home: Int
        var guest: Int
    }
    func block() async throws {
// BLOCK
    }
}
