import HTTPTypes
import Hummingbird
import NIOCore

/// Pictures of events and kinds.
struct PictureRoutes: Sendable {
    func routes(on router: Router<BasicRequestContext>) {
        router.get("/icons/:name") { _, context in
            Self.picture(Pictures.icon(kind: Self.stem(try context.parameters.require("name"))))
        }
        router.get("/pictures/:name") { _, context in
            let parts = Self.stem(try context.parameters.require("name")).split(separator: "-", maxSplits: 1)
            return Self.picture(Pictures.poster(kind: String(parts.first ?? ""), seed: String(parts.last ?? "")))
        }
    }

    /// A file's name without its extension, of limited length.
    private static func stem(_ name: String) -> String { String(name.prefix { $0 != "." }.prefix(40)) }

    private static func picture(_ svg: String) -> Response { file(Array(svg.utf8), "image/svg+xml") }

    static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "max-age=300"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
