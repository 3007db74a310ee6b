import Foundation

/// The rules of the listeners: those that are not the defaults, in the words of `GET /listeners`.
extension PageView {
    var rules: HTML {
        let rows = snapshot.listeners.prefix(16).flatMap { listener in
            listener.settings.map { row($0, of: listener.name) }
        }
        guard !rows.isEmpty else { return #"<p class="empty">All rules are the defaults.</p>"# }
        return """
            <table><thead><tr><th scope="col">Listener</th><th scope="col">Rule</th><th scope="col">Value</th></tr></thead>\
            <tbody>\(rows)</tbody></table>
            """
    }

    private func row(_ setting: ListenerConfiguration.Setting, of listener: String) -> HTML {
        let name = Wording.shortened(listener, to: 60)
        return """
            <tr data-key="\(name) \(setting.name)"><td><bdi>\(name)</bdi></td><th scope="row">\(setting.name)</th>\
            <td><bdi>\(Wording.shortened(setting.value, to: 200))</bdi></td></tr>
            """
    }
}

extension ListenerConfiguration {
    /// A rule with its value as JSON.
    struct Setting: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// The rules that differ from the defaults, by name.
    var settings: [Setting] {
        let defaults = ListenerConfiguration(name: name)
        return Self.settings(ListenerAnswer.Rules(rules), ListenerAnswer.Rules(defaults.rules))
            + Self.settings(
                ListenerAnswer.Connections(connections),
                ListenerAnswer.Connections(defaults.connections)
            )
    }

    private static func settings(_ values: some Encodable, _ defaults: some Encodable) -> [Setting] {
        let defaults = members(defaults)
        return members(values).filter { defaults[$0.key] != $0.value }
            .map { Setting(name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
    }

    /// The members of a JSON object, each as JSON.
    private static func members(_ value: some Encodable) -> [String: String] {
        guard let data = try? JSONEncoder().encode(value),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return [:] }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        return object.mapValues { value in
            let data = try? JSONSerialization.data(withJSONObject: value, options: options)
            return String(decoding: data ?? Data(), as: UTF8.self)
        }
    }
}
