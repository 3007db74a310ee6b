package import CarillonModel
package import CarillonOperatorModel

/// Values of some Devices for the fields that a message names, in columns: no allocation per Device.
package struct PersonalValues: Sendable {
    package let fields: [PersonalField]
    /// Without repetition, ordered by number.
    package let devices: [DeviceNumber]
    private var rows: [DeviceNumber: Int] = [:]
    private var bytes: [UInt8] = []
    /// Row by row, a span per field; a negative count means no value.
    private var spans: [(start: Int, count: Int)]

    /// Reserves storage.
    ///
    /// - Parameters:
    ///   - fields: The fields, without repetition.
    ///   - devices: The Devices; repetitions are allowed.
    package init(fields: [PersonalField], devices: some Sequence<DeviceNumber>) {
        self.fields = fields
        self.devices = Set(devices).sorted()
        for (row, device) in self.devices.enumerated() { rows[device] = row }
        spans = Array(repeating: (0, -1), count: self.devices.count * fields.count)
    }

    /// Sets a value; ignores empty values and Devices that were not requested.
    ///
    /// - Parameters:
    ///   - value: UTF-8.
    ///   - field: The field's index in ``fields``.
    ///   - device: The Device.
    package mutating func set(_ value: some Collection<UInt8>, at field: Int, of device: DeviceNumber) {
        guard let row = rows[device], !value.isEmpty else { return }
        spans[row * fields.count + field] = (bytes.count, value.count)
        bytes.append(contentsOf: value)
    }

    /// Sets a recipient's values of the request; ignores values that no field names.
    package mutating func set(_ values: TemplateValues, of device: DeviceNumber) {
        for (place, field) in fields.enumerated() {
            guard case .recipient(let name) = field, let text = values.texts[name] else { continue }
            set(text.utf8, at: place, of: device)
        }
    }

    /// Returns a value in UTF-8; `nil` when there is none.
    package func value(at field: Int, of device: DeviceNumber) -> ArraySlice<UInt8>? {
        guard let row = rows[device] else { return nil }
        let span = spans[row * fields.count + field]
        return span.count < 0 ? nil : bytes[span.start..<span.start + span.count]
    }

    /// Returns a value as a string; `nil` when there is none.
    package func text(of field: PersonalField, of device: DeviceNumber) -> String? {
        guard let place = fields.firstIndex(of: field), let value = value(at: place, of: device) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }
}

/// Reads Devices' values of the fields that a message names.
package protocol PersonalStore: Sendable {
    /// Returns the current values of fields of Devices and their Users.
    ///
    /// - Parameters:
    ///   - fields: At most 64, without repetition.
    ///   - devices: Internal numbers; unknown ones have no values.
    ///   - campaign: The Campaign of the recipients' values; `nil` when no field is one.
    ///   - app: The App.
    /// - Returns: The values.
    /// - Throws: ``StoreError``.
    func personalValues(
        of fields: [PersonalField],
        for devices: [DeviceNumber],
        in campaign: CampaignID?,
        app: AppID
    ) async throws(StoreError) -> PersonalValues
}
