import CarillonBytes
import Foundation

// MARK: - Connections and requests

extension PageView {
    var connections: HTML {
        guard !snapshot.connections.isEmpty else { return #"<p class="empty">No connections.</p>"# }
        let rows = snapshot.connections.map { connection -> HTML in
            """
            <tr data-key="\(connection.id)"><th scope="row">\(connection.id)</th>\
            <td><bdi>\(connection.peer ?? "gone")</bdi></td><td><bdi>\(connection.listener)</bdi></td>\
            <td>\(credentials(connection))</td>\
            <td class="number">\(connection.streams) of \(connection.streamLimit)</td>\
            <td class="number">\(Wording.number(connection.opened))</td><td>\(condition(connection))</td></tr>
            """
        }
        let others = snapshot.openConnections - snapshot.connections.count
        let more: HTML = others > 0 ? #"<p class="hint">and \#(Wording.number(others)) older ones</p>"# : ""
        return """
            <div class="scroll"><table><thead><tr><th scope="col">No.</th><th scope="col">From</th><th scope="col">At</th>\
            <th scope="col">Authenticated by</th><th scope="col" class="number">Streams open</th>\
            <th scope="col" class="number">Opened</th><th scope="col">State</th></tr></thead><tbody>\(rows)</tbody>\
            </table></div>\(more)
            """
    }

    private func credentials(_ connection: ConnectionReport) -> HTML {
        if let topic = connection.certificateTopic {
            return "certificate for <bdi>\(Wording.shortened(topic, to: 80))</bdi>"
        }
        guard let keyID = connection.keyID else { return "nobody yet" }
        return "key <bdi>\(keyID)</bdi>, team <bdi>\(connection.teamID ?? "")</bdi>"
    }

    private func condition(_ connection: ConnectionReport) -> HTML {
        if connection.isStalled { return #"<span class="tag warn">stalled</span>"# }
        return connection.isClosing ? #"<span class="tag warn">closing</span>"# : "open"
    }

    var requests: HTML {
        guard snapshot.recording > 0 else {
            return #"<p class="empty">Requests are not recorded. Start the simulator with a --record above 0.</p>"#
        }
        guard !snapshot.requests.isEmpty else {
            return #"<p class="empty">No requests yet. The command printed the files and ports for sending one.</p>"#
        }
        return """
            <ol class="requests" reversed start="\(snapshot.requests.first?.number ?? 0)">\
            \(snapshot.requests.map(item))</ol>
            """
    }

    private func item(_ entry: Snapshot.Entry) -> HTML {
        let request = entry.request
        let incoming = request.request
        return """
            <li data-key="\(entry.number)" class="\(request.status == 200 ? "accepted" : "refused")"><details><summary><span class="time">\(Wording.time(request.at))</span>\
            \(answer(request))<span class="type">\(incoming.text(.apnsPushType) ?? "no type")</span>\
            <span class="topic"><bdi>\(Wording.shortened(incoming.text(.apnsTopic) ?? "no topic", to: 80))</bdi></span>\
            <code class="token">\(incoming.shortToken)</code>\
            <span class="origin">connection \(request.connection), stream \(request.stream)</span></summary>\
            \(details(request))</details></li>
            """
    }

    private func answer(_ request: RecordedRequest) -> HTML {
        guard let status = request.status else { return #"<span class="status warn">no answer</span>"# }
        let reason = request.reason.map { " " + Wording.shortened($0, to: 60) } ?? ""
        return #"<span class="status \#(status == 200 ? "good" : "bad")">\#(status)\#(reason)</span>"#
    }

    private func details(_ request: RecordedRequest) -> HTML {
        """
        <div class="request">\
        <h3>Headers</h3><dl class="headers">\(request.request.shownHeaders.map(term))</dl>\
        <h3>Provider token</h3>\(providerToken(request))\
        <h3>Payload, \(Wording.number(request.request.bodyLength)) bytes</h3>\(payload(request.request))</div>
        """
    }

    private func term(_ field: NotificationPreview.Field) -> HTML {
        "<div><dt><bdi>\(field.name)</bdi></dt><dd><bdi>\(field.value)</bdi></dd></div>"
    }

    private func payload(_ request: IncomingRequest) -> HTML {
        guard !request.body.isEmpty else { return #"<p class="empty">empty</p>"# }
        if let indented = JSONLayout.indented(request.body) {
            return #"<pre tabindex="0"><code>\#(indented)</code></pre>"#
        }
        return """
            <p class="hint">This is no JSON object: no phone would show it.</p>\
            <pre tabindex="0"><code>\(String(decoding: request.body, as: UTF8.self))</code></pre>
            """
    }

    private func providerToken(_ request: RecordedRequest) -> HTML {
        guard let claims = ProviderTokenClaims(of: request.request) else {
            return #"<p class="empty">none that could be read</p>"#
        }
        var fields = [
            NotificationPreview.Field(name: "kid, the key", value: claims.keyID),
            NotificationPreview.Field(name: "iss, the team", value: claims.teamID),
            NotificationPreview.Field(name: "alg", value: claims.algorithm),
        ]
        fields.append(.init(name: "iat, when it was issued", value: claims.age(at: request.at)))
        let verdict: HTML =
            request.keyID == nil
            ? #"<p class="hint">As the client wrote it; it was not found to be in order.</p>"#
            : #"<p class="hint">In order: the signature is the key’s.</p>"#
        return #"<dl class="headers">\#(fields.map(term))</dl>\#(verdict)"#
    }
}

extension IncomingRequest {
    /// The first and last characters of the device token or its substitute.
    var shortToken: String {
        deviceToken.isEmpty
            ? Wording.shortened(text(.path) ?? "no path", to: 40) : Wording.deviceToken(Hexadecimal.encode(deviceToken))
    }

    /// The fields in order of arrival, without reusable secrets.
    var shownHeaders: [NotificationPreview.Field] {
        headers.map { name, value in
            let shown =
                switch name {
                case "authorization": Self.shortAuthorization(value)
                case ":path": Self.shortPath(value)
                default: Wording.shortened(value)
                }
            return .init(name: Wording.shortened(name, to: 80), value: shown)
        }
    }

    /// The scheme and the length of the rest: never the token itself.
    private static func shortAuthorization(_ value: String) -> String {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].count <= 20 else { return "… (\(value.utf8.count) bytes)" }
        return "\(parts[0]) \(parts[1].prefix(6))… (\(parts[1].utf8.count) bytes)"
    }

    private static func shortPath(_ value: String) -> String {
        let prefix = "/3/device/"
        guard value.hasPrefix(prefix) else { return Wording.shortened(value) }
        return prefix + Wording.deviceToken(value.dropFirst(prefix.count))
    }
}

/// The claims of a provider token, valid or not: a refused sender wants to see them.
struct ProviderTokenClaims: Hashable, Sendable {
    var keyID: String
    var teamID: String
    var algorithm: String
    var issuedAt: Int64?

    /// Nil when there is no bearer token or its parts are not JSON objects.
    init?(of request: IncomingRequest) {
        guard let authorization = request.text(.authorization),
            let jwt = authorization.split(separator: " ").dropFirst().first
        else { return nil }
        let parts = jwt.split(separator: ".")
        guard parts.count >= 2, let header = Self.object(parts[0]), let claims = Self.object(parts[1]) else {
            return nil
        }
        keyID = Self.text(header["kid"])
        teamID = Self.text(claims["iss"])
        algorithm = Self.text(header["alg"])
        issuedAt = (claims["iat"] as? NSNumber).flatMap { Int64(exactly: $0.doubleValue.rounded(.down)) }
    }

    func age(at time: SimulatedTime) -> String {
        guard let issuedAt else { return "missing, or no number" }
        let (age, isOverflow) = (time.milliseconds / 1000).subtractingReportingOverflow(issuedAt)
        guard !isOverflow, age.magnitude < 1_000_000_000_000 else { return "\(issuedAt)" }
        return age < 0 ? "\(issuedAt), \(-age) s ahead of the simulator" : "\(issuedAt), \(age) s before it came"
    }

    private static func text(_ value: Any?) -> String {
        (value as? String).map { Wording.shortened($0, to: 60) } ?? "missing"
    }

    private static func object(_ base64: Substring) -> [String: Any]? {
        let standard = base64.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            .trimmingCharacters(in: ["="])
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding), PayloadSummary(of: Array(data)).isObject else {
            return nil
        }
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
    }
}
