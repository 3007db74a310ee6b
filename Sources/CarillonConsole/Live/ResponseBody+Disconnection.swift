import Hummingbird

extension ResponseBody {
    /// The same body, which is cancelled when the browser disconnects.
    ///
    /// A write is how a server otherwise learns of it, and a stream without news writes seldom: what it holds would stay taken.
    ///
    /// - Parameter request: The request that it answers, whose body is read.
    /// - Returns: The body.
    func endingWithConnection(of request: Request) -> ResponseBody {
        ResponseBody { writer in
            let writer = writer
            try await request.body.consumeWithCancellationOnInboundClose { _ in try await write(writer) }
        }
    }
}
