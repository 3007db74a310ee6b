import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The sample data where other people's servers would publish theirs; the Carillon server fetches them from there.
struct OpenDataRoutes: Sendable {
    let data: OpenData

    func routes(on router: Router<BasicRequestContext>) {
        router.get("/open-data/events.json") { request, _ in
            Self.answer(request, try await data.eventsFile(), "application/json")
        }
        router.get("/open-data/buses.zip") { request, _ in
            Self.answer(request, await data.busesFile(), "application/zip")
        }
        router.get("/open-data/realtime.pb") { _, _ in
            let feed = await data.realtimeFeed(at: Date())
            return Response(
                status: .ok,
                headers: [.contentType: "application/x-protobuf", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: feed))
            )
        }
    }

    /// Who has the file already gets none (RFC 9110, 13.1.2).
    private static func answer(_ request: Request, _ file: (bytes: [UInt8], tag: String), _ type: String) -> Response {
        guard request.headers[.ifNoneMatch] != file.tag else {
            return Response(status: .notModified, headers: [.eTag: file.tag])
        }
        return Response(
            status: .ok,
            headers: [.contentType: type, .eTag: file.tag],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes))
        )
    }
}
