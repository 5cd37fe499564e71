use tenure::ownership::Realm;
use tenure::text::Text;

#[test]
fn probe() {
    let mut realm = Realm::default();
    let core = realm.open_core(None, None).unwrap();
    let t = |s: &str| Text::from(s);
    let b = realm.open(core, &t("b")).unwrap();
    let claim = realm.claim(b).unwrap();
    realm.open(core, &t("a")).unwrap();
    realm.open(core, &t("b")).unwrap();
    realm.open(core, &t("a")).unwrap();
    realm.claim_word(tenure::ownership::ClaimRef::Live(claim)).unwrap();
}
