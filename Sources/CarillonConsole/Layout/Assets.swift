import CarillonBytes
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Style sheet, script and icon, each at an address that has the hash of its content, so that browsers keep it for good.
struct Assets: Sendable {
    private struct Asset {
        let body: ByteBuffer
        let type: String
    }

    let style: String
    let script: String
    let icon: String
    private let assets: [String: Asset]

    init() throws {
        var assets: [String: Asset] = [:]
        func add(_ text: String, _ kind: String, _ type: String) -> String {
            let hash = Hexadecimal.encode(SHA256.hash(data: Data(text.utf8)).prefix(12))
            assets["\(hash).\(kind)"] = Asset(body: ByteBuffer(string: text), type: type)
            return "/console/assets/\(hash).\(kind)"
        }
        style = add(try Resources.joined("assets/css", type: "css"), "css", "text/css; charset=utf-8")
        script = add(try Resources.joined("assets/js", type: "js"), "js", "text/javascript; charset=utf-8")
        icon = add(try Resources.text("assets/icon.svg"), "svg", "image/svg+xml")
        self.assets = assets
    }

    /// The answer to a request of a name below `/assets/`; `nil` when there is none, or one of another version.
    func response(_ name: String) -> Response? {
        guard let asset = assets[name] else { return nil }
        return Response(
            status: .ok,
            headers: [.contentType: asset.type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: asset.body)
        )
    }
}
