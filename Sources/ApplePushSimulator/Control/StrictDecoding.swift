import Hummingbird
import NIOCore

extension Request {
    /// Decodes a JSON body and refuses unknown fields.
    ///
    /// An empty body is an empty object.
    func readStrictly<Value>(
        context: some RequestContext,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) async throws -> Value {
        try Self.read(try await self.body.collect(upTo: context.maxUploadSize), body)
    }

    /// The same, but the rest of the connection can still be read.
    mutating func readStrictlyKeeping<Value>(
        context: some RequestContext,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) async throws -> Value {
        try Self.read(try await collectBody(upTo: context.maxUploadSize), body)
    }

    private static func read<Value>(
        _ buffer: ByteBuffer,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) throws -> Value {
        do throws(FieldProblem) {
            return try StrictFields.read(buffer.readableBytesView, body)
        } catch {
            throw HTTPError(.badRequest, message: error.description)
        }
    }
}
