package import ApplePush
package import NIOCore

/// A part of a batch, assigned to one connection.
package struct BatchSlice: Sendable {
    /// Identifies a slice.
    package struct ID: Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// The notifications of the batch in the slice.
    package enum Members: Sendable {
        case run(Range<Int>)
        case picks([Int32])

        package var count: Int {
            switch self {
            case .run(let range): range.count
            case .picks(let indices): indices.count
            }
        }

        /// The index in the batch of the slice's member at `position`.
        package subscript(position: Int) -> Int {
            switch self {
            case .run(let range): range.lowerBound + position
            case .picks(let indices): Int(indices[position])
            }
        }
    }

    package let id: ID
    package let batch: PushBatch
    package let members: Members
    package let token: ProviderToken?
    package let deadline: NIODeadline

    /// A slice of `batch`; `token` is `nil` with a client certificate.
    package init(id: ID, batch: PushBatch, members: Members, token: ProviderToken?, deadline: NIODeadline) {
        self.id = id
        self.batch = batch
        self.members = members
        self.token = token
        self.deadline = deadline
    }

    package var count: Int { members.count }
}
