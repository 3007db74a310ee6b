package import CarillonModel
package import CarillonOperatorModel

/// What some Devices have for the fields that a message names, in columns: nothing is allocated for a single one.
package struct PersonalValues: Sendable {
    package let fields: [PersonalField]
    /// Each once, in the order of their numbers.
    package let devices: [DeviceNumber]
    private var rows: [DeviceNumber: Int] = [:]
    private var bytes: [UInt8] = []
    /// Row by row, a value for each field; none has a negative count.
    private var spans: [(start: Int, count: Int)]

    /// Makes room.
    ///
    /// - Parameters:
    ///   - fields: What is asked for, each once.
    ///   - devices: Of whom; some may be named twice.
    package init(fields: [PersonalField], devices: some Sequence<DeviceNumber>) {
        self.fields = fields
        self.devices = Set(devices).sorted()
        for (row, device) in self.devices.enumerated() { rows[device] = row }
        spans = Array(repeating: (0, -1), count: self.devices.count * fields.count)
    }

    /// Notes a value; an empty one is none, and so is one of a Device that was not asked for.
    ///
    /// - Parameters:
    ///   - value: UTF-8.
    ///   - field: The field's place in ``fields``.
    ///   - device: Whose.
    package mutating func set(_ value: some Collection<UInt8>, at field: Int, of device: DeviceNumber) {
        guard let row = rows[device], !value.isEmpty else { return }
        spans[row * fields.count + field] = (bytes.count, value.count)
        bytes.append(contentsOf: value)
    }

    /// Notes what a request brings for a recipient; what no field names is passed over.
    package mutating func set(_ values: TemplateValues, of device: DeviceNumber) {
        for (place, field) in fields.enumerated() {
            guard case .recipient(let name) = field, let text = values.texts[name] else { continue }
            set(text.utf8, at: place, of: device)
        }
    }

    /// A value in UTF-8; `nil` when there is none.
    package func value(at field: Int, of device: DeviceNumber) -> ArraySlice<UInt8>? {
        guard let row = rows[device] else { return nil }
        let span = spans[row * fields.count + field]
        return span.count < 0 ? nil : bytes[span.start..<span.start + span.count]
    }

    /// A value as text; `nil` when there is none.
    package func text(of field: PersonalField, of device: DeviceNumber) -> String? {
        guard let place = fields.firstIndex(of: field), let value = value(at: place, of: device) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }
}

/// Reads what Devices have for the fields that a message names.
package protocol PersonalStore: Sendable {
    /// Looks up fields of Devices and of their Users, as they are now.
    ///
    /// - Parameters:
    ///   - fields: At most 64, each once.
    ///   - devices: Internal numbers; those that there are not have no values.
    ///   - campaign: Whose recipients' values are meant; `nil` when none of the fields is one.
    ///   - app: Whose.
    /// - Returns: What there is.
    /// - Throws: ``StoreError``.
    func personalValues(
        of fields: [PersonalField],
        for devices: [DeviceNumber],
        in campaign: CampaignID?,
        app: AppID
    ) async throws(StoreError) -> PersonalValues
}
