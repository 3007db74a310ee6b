import CarillonEngine
import CarillonModel
import HTTPTypes
package import OpenIDConnect

/// Who vouches for Operators, beside their passwords and passkeys.
package struct OutsideSources: Sendable {
    /// `nil` for none.
    package var provider: IdentityProvider?
    /// `nil` for none.
    package var proxy: ProxyHeader?

    package init() {}
}

/// A proxy in front of the server, which names in a header field who is there.
package struct ProxyHeader: Sendable {
    /// The field with the Operator's address.
    package var userField: String
    /// The field with the groups, separated by commas; `nil` for none.
    package var groupsField: String?
    /// Where the proxy forgets who is there; `nil` when it has no such address.
    package var signOutURL: String?
    /// Whether the other end of a connection is the proxy.
    package var isProxy: @Sendable (_ peer: String) -> Bool

    package init(
        userField: String,
        groupsField: String?,
        signOutURL: String?,
        isProxy: @escaping @Sendable (_ peer: String) -> Bool
    ) {
        (self.userField, self.groupsField, self.signOutURL) = (userField, groupsField, signOutURL)
        self.isProxy = isProxy
    }

    /// Who is there; `nil` when the field is missing, empty, or there several times.
    func account(_ headers: HTTPFields) -> OutsideAccount? {
        guard let address = Self.value(userField, headers), !address.isEmpty else { return nil }
        let groups = groupsField.flatMap { Self.value($0, headers) } ?? ""
        return OutsideAccount(
            .proxy(address: address),
            groups: groups.split(separator: ",").map { $0.trimmingPrefix(" ").description }
        )
    }

    /// Whether the field is there, from whomever.
    func isNamed(_ headers: HTTPFields) -> Bool { HTTPField.Name(userField).map { headers.contains($0) } ?? false }

    private static func value(_ field: String, _ headers: HTTPFields) -> String? {
        guard let name = HTTPField.Name(field) else { return nil }
        let values = headers[values: name]
        // Twice, one of them is not the proxy's.
        return values.count == 1 ? values[0] : nil
    }
}
