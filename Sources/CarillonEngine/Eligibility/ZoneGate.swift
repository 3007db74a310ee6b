package import CarillonModel
import CarillonOperatorModel

/// Passes Devices of an Occurrence in local time whose own time has come, and gathers the times of the others.
///
/// It compares with the due time of the Wave, not with a clock, so that every node passes the same Devices.
package struct ZoneGate {
    private let local: OccurrenceRules.LocalTime
    private let waveDue: Timestamp
    private let zones: ZoneNights
    private var names = InternedTexts()
    /// By zone number; the first is for Devices without a zone.
    private var isOpen: [Bool?] = [nil]
    /// When Waves are needed for Devices that did not pass.
    package private(set) var later: Set<Timestamp> = []

    /// Creates the gate of a Wave; `nil` when all pass.
    package init?(_ rules: OccurrenceRules, waveDue: Timestamp, zones: ZoneNights) {
        guard let local = rules.local else { return nil }
        self.local = local
        self.waveDue = waveDue
        self.zones = zones
    }

    /// Returns whether Devices of a zone pass.
    ///
    /// - Parameter zone: The Device's zone, in UTF-8; empty for none.
    /// - Returns: Whether they do.
    package mutating func opens(_ zone: UnsafeRawBufferPointer) -> Bool {
        let number = Int(names.number(of: zone))
        if number < isOpen.count, let known = isOpen[number] { return known }
        let due = local.instant(in: names[UInt16(number)], zones) ?? waveDue
        if due > waveDue { later.insert(due) }
        while isOpen.count <= number { isOpen.append(nil) }
        isOpen[number] = due <= waveDue
        return due <= waveDue
    }
}
