#include "converter/readers/languages.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "converter/error.h"

namespace latimer {
namespace {

// mBART-50; the first 25 are those of mBART.
constexpr const char* kMBart50[] = {
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX",
    "gu_IN", "hi_IN", "it_IT", "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV",
    "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN",
    "zh_CN", "af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID",
    "ka_GE", "km_KH", "mk_MK", "ml_IN", "mn_MN", "mr_IN", "pl_PL", "ps_AF",
    "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN", "th_TH", "tl_XX", "uk_UA",
    "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};

constexpr size_t kMBartCount = 25;

// NLLB-200.
constexpr const char* kNllb[] = {
    "ace_Arab", "ace_Latn", "acm_Arab", "acq_Arab", "aeb_Arab", "afr_Latn",
    "ajp_Arab", "aka_Latn", "amh_Ethi", "apc_Arab", "arb_Arab", "ars_Arab",
    "ary_Arab", "arz_Arab", "asm_Beng", "ast_Latn", "awa_Deva", "ayr_Latn",
    "azb_Arab", "azj_Latn", "bak_Cyrl", "bam_Latn", "ban_Latn", "bel_Cyrl",
    "bem_Latn", "ben_Beng", "bho_Deva", "bjn_Arab", "bjn_Latn", "bod_Tibt",
    "bos_Latn", "bug_Latn", "bul_Cyrl", "cat_Latn", "ceb_Latn", "ces_Latn",
    "cjk_Latn", "ckb_Arab", "crh_Latn", "cym_Latn", "dan_Latn", "deu_Latn",
    "dik_Latn", "dyu_Latn", "dzo_Tibt", "ell_Grek", "eng_Latn", "epo_Latn",
    "est_Latn", "eus_Latn", "ewe_Latn", "fao_Latn", "pes_Arab", "fij_Latn",
    "fin_Latn", "fon_Latn", "fra_Latn", "fur_Latn", "fuv_Latn", "gla_Latn",
    "gle_Latn", "glg_Latn", "grn_Latn", "guj_Gujr", "hat_Latn", "hau_Latn",
    "heb_Hebr", "hin_Deva", "hne_Deva", "hrv_Latn", "hun_Latn", "hye_Armn",
    "ibo_Latn", "ilo_Latn", "ind_Latn", "isl_Latn", "ita_Latn", "jav_Latn",
    "jpn_Jpan", "kab_Latn", "kac_Latn", "kam_Latn", "kan_Knda", "kas_Arab",
    "kas_Deva", "kat_Geor", "knc_Arab", "knc_Latn", "kaz_Cyrl", "kbp_Latn",
    "kea_Latn", "khm_Khmr", "kik_Latn", "kin_Latn", "kir_Cyrl", "kmb_Latn",
    "kon_Latn", "kor_Hang", "kmr_Latn", "lao_Laoo", "lvs_Latn", "lij_Latn",
    "lim_Latn", "lin_Latn", "lit_Latn", "lmo_Latn", "ltg_Latn", "ltz_Latn",
    "lua_Latn", "lug_Latn", "luo_Latn", "lus_Latn", "mag_Deva", "mai_Deva",
    "mal_Mlym", "mar_Deva", "min_Latn", "mkd_Cyrl", "plt_Latn", "mlt_Latn",
    "mni_Beng", "khk_Cyrl", "mos_Latn", "mri_Latn", "zsm_Latn", "mya_Mymr",
    "nld_Latn", "nno_Latn", "nob_Latn", "npi_Deva", "nso_Latn", "nus_Latn",
    "nya_Latn", "oci_Latn", "gaz_Latn", "ory_Orya", "pag_Latn", "pan_Guru",
    "pap_Latn", "pol_Latn", "por_Latn", "prs_Arab", "pbt_Arab", "quy_Latn",
    "ron_Latn", "run_Latn", "rus_Cyrl", "sag_Latn", "san_Deva", "sat_Beng",
    "scn_Latn", "shn_Mymr", "sin_Sinh", "slk_Latn", "slv_Latn", "smo_Latn",
    "sna_Latn", "snd_Arab", "som_Latn", "sot_Latn", "spa_Latn", "als_Latn",
    "srd_Latn", "srp_Cyrl", "ssw_Latn", "sun_Latn", "swe_Latn", "swh_Latn",
    "szl_Latn", "tam_Taml", "tat_Cyrl", "tel_Telu", "tgk_Cyrl", "tgl_Latn",
    "tha_Thai", "tir_Ethi", "taq_Latn", "taq_Tfng", "tpi_Latn", "tsn_Latn",
    "tso_Latn", "tuk_Latn", "tum_Latn", "tur_Latn", "twi_Latn", "tzm_Tfng",
    "uig_Arab", "ukr_Cyrl", "umb_Latn", "urd_Arab", "uzn_Latn", "vec_Latn",
    "vie_Latn", "war_Latn", "wol_Latn", "xho_Latn", "ydd_Hebr", "yor_Latn",
    "yue_Hant", "zho_Hans", "zho_Hant", "zul_Latn"};

// M2M100.
constexpr const char* kM2m100[] = {
    "af",  "am", "ar", "ast", "az", "ba", "be", "bg", "bn", "br", "bs", "ca",
    "ceb", "cs", "cy", "da",  "de", "el", "en", "es", "et", "fa", "ff", "fi",
    "fr",  "fy", "ga", "gd",  "gl", "gu", "ha", "he", "hi", "hr", "ht", "hu",
    "hy",  "id", "ig", "ilo", "is", "it", "ja", "jv", "ka", "kk", "km", "kn",
    "ko",  "lb", "lg", "ln",  "lo", "lt", "lv", "mg", "mk", "ml", "mn", "mr",
    "ms",  "my", "ne", "nl",  "no", "ns", "oc", "or", "pa", "pl", "ps", "pt",
    "ro",  "ru", "sd", "si",  "sk", "sl", "so", "sq", "sr", "ss", "su", "sv",
    "sw",  "ta", "th", "tl",  "tn", "tr", "uk", "ur", "uz", "vi", "wo", "xh",
    "yi",  "yo", "zh", "zu"};

// The M2M100 models of WMT 21.
constexpr const char* kWmt21[] = {"en", "ha", "is", "ja",
                                  "cs", "ru", "zh", "de"};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// Whether `text` has this shape, where `a` stands for any small letter and `A`
// for any capital letter.
bool HasShape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char like) {
    if (like == 'a') return IsLower(c);
    return like == 'A' ? c >= 'A' && c <= 'Z' : c == like;
  });
}

// "de" of "<2de>", "zh_Latn" of "<2zh_Latn>"; "" of other tokens, such as
// "<2translit>".
std::string_view MadladCodeOf(std::string_view token) {
  if (!token.starts_with("<2") || !token.ends_with('>')) return "";
  const std::string_view code = token.substr(2, token.size() - 3);
  const size_t letters = std::min(code.find('_'), code.size());
  return (letters == 2 || letters == 3) &&
                 std::ranges::all_of(code.substr(0, letters), IsLower)
             ? code
             : "";
}

// The language code that a token stands for, or "".
std::string_view CodeOf(TokenizerClass kind, std::string_view token) {
  switch (kind) {
    case TokenizerClass::kNllb:
    case TokenizerClass::kIndicTrans:
      return HasShape(token, "aaa_Aaaa") ? token : "";
    case TokenizerClass::kSmall100:
    case TokenizerClass::kM2m100: {
      if (token.size() < 6 || !token.starts_with("__") ||
          !token.ends_with("__")) {
        return "";
      }
      const std::string_view code = token.substr(2, token.size() - 4);
      return std::ranges::all_of(code, IsLower) ? code : "";
    }
    case TokenizerClass::kMBart50:
    case TokenizerClass::kMBart:
      return HasShape(token, "aa_AA") ? token : "";
    case TokenizerClass::kT5:
      return MadladCodeOf(token);
    case TokenizerClass::kWhisper: {
      if (!token.starts_with("<|") || !token.ends_with("|>")) return "";
      const std::string_view code = token.substr(2, token.size() - 4);
      const bool is_code = code.size() == 2 || code.size() == 3;
      return is_code && std::ranges::all_of(code, IsLower) ? code : "";
    }
    case TokenizerClass::kBart:
    case TokenizerClass::kByT5:
    case TokenizerClass::kGemma:
    case TokenizerClass::kPegasus:
      break;
  }
  return "";
}

int32_t TokenOf(const char* side, const std::string& code,
                const CanonicalGeneration& generation) {
  for (const Language& language : generation.languages) {
    if (code == language.code) return language.token;
  }
  const std::string known = Joined(generation.languages, &Language::code);
  FailWith("--", side, "-lang ", code, ": ",
           known.empty() ? "the model has no languages to choose from"
                         : "the model has " + known,
           ".");
}

// Adds the language of a token, unless its code is no name, or too long.
void AddLanguage(std::string_view code, int32_t id,
                 CanonicalGeneration* generation) {
  Language language = {.token = id, .code = {}};
  if (!IsName(code) || code.size() >= sizeof(language.code)) return;
  std::ranges::copy(code, language.code);
  generation->languages.push_back(language);
}

void SortLanguages(CanonicalGeneration* generation) {
  std::ranges::sort(generation->languages, [](const auto& a, const auto& b) {
    return std::strcmp(a.code, b.code) < 0;
  });
}

}  // namespace

bool IsName(std::string_view text) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  };
  return !text.empty() && std::ranges::none_of(text, is_control);
}

void AddLanguages(TokenizerClass kind, bool legacy,
                  const std::map<std::string, int32_t>& token_ids,
                  CanonicalGeneration* generation) {
  for (const auto& [token, id] : token_ids) {
    AddLanguage(CodeOf(kind, token), id, generation);
  }
  SortLanguages(generation);
  if (generation->languages.empty()) return;
  if (kind == TokenizerClass::kT5 || kind == TokenizerClass::kSmall100) {
    generation->target_language = TargetLanguage::kBeforeText;
    return;
  }
  if (kind == TokenizerClass::kWhisper) {
    generation->target_language = TargetLanguage::kForcedFirst;
    return;
  }
  const bool after_eos = kind == TokenizerClass::kMBart ||
                         (kind == TokenizerClass::kNllb && legacy);
  generation->source_language =
      after_eos ? SourceLanguage::kAfterSuffix : SourceLanguage::kBeforeText;
  generation->target_language = TargetLanguage::kForcedFirst;
  if (kind == TokenizerClass::kMBart) {
    generation->target_language = TargetLanguage::kDecoderStart;
  } else if (kind == TokenizerClass::kIndicTrans) {
    generation->target_language = TargetLanguage::kBeforeText;
  }
}

void AddMarianLanguages(std::span<const std::string> pieces,
                        CanonicalGeneration* generation) {
  for (size_t id = 0; id < pieces.size(); ++id) {
    const std::string_view piece = pieces[id];
    if (piece.size() <= 4 || !piece.starts_with(">>") ||
        piece.find("<<") != piece.size() - 2) {
      continue;
    }
    AddLanguage(piece.substr(2, piece.size() - 4), static_cast<int32_t>(id),
                generation);
  }
  SortLanguages(generation);
  if (generation->languages.empty()) return;
  generation->target_language = TargetLanguage::kTextsCode;
}

void ChooseLanguages(const std::string& source, const std::string& target,
                     CanonicalGeneration* generation) {
  if (source.empty() && target.empty()) return;
  const bool target_alone =
      StandsInSource(generation->target_language) &&
      generation->source_language == SourceLanguage::kNone;
  if (target.empty() || (source.empty() && !target_alone)) {
    FailWith(
        "--source-lang and --target-lang belong together: give both or "
        "neither.");
  }
  if (!source.empty()) {
    const int32_t from = TokenOf("source", source, *generation);
    if (generation->source_language == SourceLanguage::kAfterSuffix) {
      generation->source_suffix.push_back(from);
    } else if (!target_alone) {
      generation->source_prefix.push_back(from);
    }
  }
  const int32_t to = TokenOf("target", target, *generation);
  if (StandsInSource(generation->target_language)) {
    generation->source_prefix.push_back(to);
  } else if (generation->target_language == TargetLanguage::kDecoderStart) {
    generation->decoder_start = to;
  } else {
    generation->forced_first = to;
  }
  generation->languages.clear();
  generation->source_language = SourceLanguage::kNone;
  generation->target_language = TargetLanguage::kNone;
}

std::span<const char* const> MBartLanguages() {
  return std::span(kMBart50).first(kMBartCount);
}
std::span<const char* const> MBart50Languages() { return kMBart50; }
std::span<const char* const> NllbLanguages() { return kNllb; }
std::span<const char* const> M2m100Languages() { return kM2m100; }
std::span<const char* const> Wmt21Languages() { return kWmt21; }

}  // namespace latimer
