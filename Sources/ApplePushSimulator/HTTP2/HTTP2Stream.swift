/// One stream of a connection, from its first field to its end.
///
/// Used again for a later stream.
final class HTTP2Stream {
    private(set) var id: Int32 = 0
    var request = IncomingRequest()
    /// Set as soon as the request was handed on: what still comes is dropped.
    var isTaken = false
    /// The body of the answer, as far as it was not sent.
    var answer: ArraySlice<UInt8> = []
    /// Bytes of the body that came after the answer.
    var surplus = 0

    func open(id: Int32) {
        self.id = id
        request.reset()
        isTaken = false
        answer = []
        surplus = 0
    }
}

/// The numbers of a connection since they were last collected.
struct StreamCounts {
    var opened = 0
    var refused = 0
    var closed = 0
    /// The most that were open at once.
    var peak = 0
}
