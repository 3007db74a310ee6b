import Carillon
import CarillonServiceExtension
package import Foundation

/// The picture that every simulated phone gets for any URL; nothing is downloaded.
package struct SuppliedMedia: MediaSource {
    /// Why a download failed.
    package struct TooLarge: Error {}

    private let picture: Data

    /// - Parameter picture: The file's bytes; missing: a PNG of one pixel.
    package init(_ picture: Data = Self.pixel) { self.picture = picture }

    package func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws {
        guard picture.count <= maximumSize else { throw TooLarge() }
        try picture.write(to: file)
    }

    /// A PNG of one transparent pixel.
    package static let pixel =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
        ) ?? Data()
}
